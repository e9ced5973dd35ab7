import Contracts
import Responder
import Service

/// `refundlog hold`
struct CaseHold: Command {
  static let page = CommandPage(
    name: "hold", words: ["ID"],
    summary: "Holds the preference of a case back, for a person to decide; the facts are answered",
    details: """
      Apple may decide while a person looks: so the facts go out at once without a preference, and the answer again when
      the hold ends, if it says something else then. --all holds the whole answer back, facts too.
      A hold ends by itself 2 hours before the answer is due, in the sandbox 10 minutes before the window closes, so that
      time is left to answer; or with refundlog release, or refundlog answer.
      """,
    options: [
      CommandOption(name: "all", value: nil, meaning: "hold the whole answer back, facts too"),
      CommandOption(name: "note", value: "TEXT", meaning: "why, in words for whoever reads the case"), .data, .settings,
    ])

  private let review: CaseReview
  private let note: String?
  private let holdsAll: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    note = arguments["note"]
    holdsAll = arguments.has("all")
    review = try CaseReview(surroundings, arguments)
  }

  func run() throws(CommandError) {
    let request = try review.request(for: .hold)
    let purchase = review.page.summary.purchase
    guard let until = review.reviewable.holdEnd(request.id) else { throw review.refused("it has no such request") }
    // One of the preference may become one of the whole answer without a moment between.
    if let hold = review.reviewable.hold(of: request.id, at: review.clock.now()), hold.isOfAll || !holdsAll {
      throw review.refused("it is held already; refundlog release ends that")
    }
    let position = try review.append(
      [
        CaseReviewed(
          act: .hold, by: review.by, request: request.id, note: note, until: until,
          all: holdsAll ? true : nil)
      ])
    let what =
      holdsAll
      ? "The responder holds the whole answer back"
      : "The responder answers the facts and holds the preference back"
    review.surroundings.print(
      """
      Recorded at position \(position), by \(review.by): hold.
      \(what) until \(RFC3339.text(until)); refundlog release \(purchase) ends that earlier.

      """)
  }
}

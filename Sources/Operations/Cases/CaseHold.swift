import Contracts
import Service

/// `refundlog hold`
struct CaseHold: Command {
  static let page = CommandPage(
    name: "hold", words: ["ID"], summary: "Holds the answer of a case back, for a person to decide",
    details: """
      A hold ends by itself 2 hours before the answer is due, in the sandbox 10 minutes before the window closes, so that
      time is left to answer; or with refundlog release, or refundlog answer.
      """,
    options: [
      CommandOption(name: "note", value: "TEXT", meaning: "why, in words for whoever reads the case"), .data, .settings,
    ])

  private let review: CaseReview
  private let note: String?

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    note = arguments["note"]
    review = try CaseReview(surroundings, arguments)
  }

  func run() throws(CommandError) {
    let request = try review.request()
    let purchase = review.page.summary.purchase
    let until = Self.end(of: request, in: purchase.environment)
    guard until > review.clock.now() else {
      throw review.refused("a hold must leave time to answer, and would have ended \(RFC3339.text(until)); answer it")
    }
    let (acts, version) = try review.earlier()
    if acts.isHeld(at: review.clock.now()) { throw review.refused("it is held already; refundlog release ends that") }
    let position = try review.append(
      [CaseReviewed(act: .hold, by: review.by, request: request.id, note: note, until: until)], after: version)
    review.surroundings.print(
      """
      Recorded at position \(position), by \(review.by): hold.
      The responder holds the answer back until \(RFC3339.text(until)), and sends it then; refundlog release \(purchase)
      ends that earlier.

      """)
  }

  /// When it ends by itself; the responder holds nothing longer.
  private static func end(of request: CasePage.Request, in environment: String) -> Int64 {
    environment == "Sandbox" ? request.closed - 600_000 : request.due - 7_200_000
  }
}

extension [CaseReviewed] {
  /// Whether the newest hold stands: neither released nor over. Who wishes an answer ends it too.
  func isHeld(at now: Int64) -> Bool {
    let ending: Set<CaseReviewed.Act> = [.hold, .release, .answerNow, .answerAgain]
    guard let newest = last(where: { ending.contains($0.act) }), newest.act == .hold else { return false }
    return newest.until.map { $0 > now } ?? true
  }
}

import Contracts
import Responder
import Service

/// `refundlog release`
struct CaseRelease: Command {
  static let page = CommandPage(
    name: "release", words: ["ID"], summary: "Ends a hold",
    options: [CommandOption(name: "note", value: "TEXT", meaning: "why"), .data, .settings])

  private let review: CaseReview
  private let note: String?

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    note = arguments["note"]
    review = try CaseReview(surroundings, arguments)
  }

  func run() throws(CommandError) {
    let request = try review.request(for: .release)
    guard review.reviewable.hold(of: request.id, at: review.clock.now()) != nil else {
      throw review.refused("nothing of it is held")
    }
    let position = try review.append([CaseReviewed(act: .release, by: review.by, request: request.id, note: note)])
    review.surroundings.print(
      """
      Recorded at position \(position), by \(review.by): release.
      The responder judges the case anew now; the window closes in \(Shown.span(request.closed - review.clock.now())).
      refundlog case \(review.page.summary.purchase) shows what comes of it.

      """)
  }
}

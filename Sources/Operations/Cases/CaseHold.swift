import Contracts
import Service

/// `refundlog hold`
struct CaseHold: Command {
  static let page = CommandPage(
    name: "hold", words: ["ID"], summary: "Holds the refund preference of a case back, for a person to decide",
    details: """
      The facts are not held: they are said without a preference meanwhile. A hold ends by itself 2 hours before the
      answer is due, or with refundlog release.
      """,
    options: [
      CommandOption(name: "note", value: "TEXT", meaning: "why, in words for whoever reads the case"), .data, .settings,
    ])

  /// A hold must leave time to answer.
  private static let beforeDue: Int64 = 7_200_000

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
    let until = request.due - Self.beforeDue
    guard until > review.clock.now() else {
      throw review.refused(
        "a hold ends 2 hours before the answer is due, and that was \(RFC3339.text(until)); "
          + (purchase.environment == "Sandbox" ? "in the sandbox Apple decides within minutes" : "answer it"))
    }
    let (acts, version) = try review.earlier()
    if acts.isHeld(at: review.clock.now()) { throw review.refused("it is held already; refundlog release ends that") }
    let position = try review.append(
      [CaseReviewed(act: .hold, by: review.by, request: request.id, note: note, until: until)], after: version)
    review.surroundings.print(
      """
      Recorded at position \(position), by \(review.by): hold.
      It asks the responder to keep the preference back until \(RFC3339.text(until)), 2 hours before the answer is due,
      or until refundlog release \(purchase). The facts are said meanwhile, where consent allows it.

      """)
  }
}

extension [CaseReviewed] {
  /// Whether the newest hold stands: neither released nor over.
  func isHeld(at now: Int64) -> Bool {
    guard let newest = last(where: { $0.act == .hold || $0.act == .release }), newest.act == .hold else { return false }
    return newest.until.map { $0 > now } ?? true
  }
}

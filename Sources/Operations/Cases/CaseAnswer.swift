import AppStore
import Contracts
import Service

/// `refundlog answer`
struct CaseAnswer: Command {
  static let page = CommandPage(
    name: "answer", words: ["ID"], summary: "Asks for an answer now, or for another one, with a preference of yours",
    details: """
      Without consent and facts nothing is sent, whoever asks. --prefer says what you would have Apple decide;
      NO_PREFERENCE takes it back. It needs a note: somebody may ask a month later why.
      """,
    options: [
      CommandOption(name: "again", value: nil, meaning: "though Apple has an answer already; inside the window"),
      CommandOption(name: "prefer", value: "WORD", meaning: "GRANT_FULL, GRANT_PRORATED, DECLINE or NO_PREFERENCE"),
      CommandOption(name: "note", value: "TEXT", meaning: "why, in words"), .data, .settings,
    ])

  private static let words = RefundPreference.allCases.map(\.rawValue) + ["NO_PREFERENCE"]

  private let review: CaseReview
  private let isAgain: Bool
  private let preference: String?
  private let note: String?

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    isAgain = arguments.has("again")
    note = arguments["note"]
    preference = arguments["prefer"]
    if let preference {
      guard Self.words.contains(preference) else {
        let near = Nearest.word(to: preference, among: Self.words).map { "; did you mean \($0)?" } ?? ""
        throw Self.page.usageError(
          "--prefer is \(Shown.text(preference)); allowed are \(Self.words.joined(separator: ", "))\(near)")
      }
      if note == nil { throw Self.page.usageError("--note is missing: a preference of a person comes with its reason") }
    }
    review = try CaseReview(surroundings, arguments)
  }

  func run() throws(CommandError) {
    let request = try review.request(for: isAgain ? .answerAgain : .answerNow)
    let purchase = review.page.summary.purchase
    let acts = acts(on: request)
    let position = try review.append(acts)
    let what = (isAgain ? "another answer" : "an answer") + (preference.map { " with \($0)" } ?? "")
    let when = isAgain ? "five minutes after the last one at the earliest" : "at once"
    review.surroundings.print(
      """
      Recorded at position \(position), by \(review.by): \(acts.map(\.act.rawValue).joined(separator: ", ")).
      The responder is to send \(what) \(when), whoever holds it; the window closes in \(Shown.span(request.closed - review.clock.now())).
      \(standing(request))
      refundlog case \(purchase) shows what comes of it.

      """)
  }

  private func acts(on request: CasePage.Request) -> [CaseReviewed] {
    let now = CaseReviewed(
      act: isAgain ? .answerAgain : .answerNow, by: review.by, request: request.id,
      note: preference == nil ? note : nil)
    guard let preference else { return [now] }
    return [
      CaseReviewed(
        act: .prefer, by: review.by, request: request.id, refundPreference: RefundPreferenceWord(preference),
        note: note),
      now,
    ]
  }

  /// What stands in the way of it, which no person overrides.
  private func standing(_ request: CasePage.Request) -> String {
    switch review.page.consent.state {
    case .withdrawn: return "The customer said no, which nobody overrides: nothing is sent unless that changes."
    case .unknown: return "Nothing is sent before there is consent: \(review.page.consent.words)."
    case .allowed: break
    }
    if let waiting = request.waitsFor { return "It waits for \(waiting), and is sent when that is there." }
    return "Consent stands: \(review.page.consent.words)."
  }
}

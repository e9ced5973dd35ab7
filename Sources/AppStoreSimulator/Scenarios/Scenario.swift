import AppStore
import JSON

/// How a refund request goes on by itself. Times are milliseconds of the set clock.
public struct Scenario: Equatable, Sendable {
  /// Common ones by a word.
  public enum Word: String, CaseIterable, Sendable {
    case none
    case refund = "REFUND"
    case prorated = "REFUND_PRORATED"
    case declined = "REFUND_DECLINED"
    case reversed = "REFUND_THEN_REVERSED"
    case sheet = "SHEET"
  }

  enum Decided: Equatable, Sendable {
    case never
    /// Some time after the first accepted answer, or, where so set, after a request that got none.
    case by(Decision)
    /// By what the customer typed into the sandbox's sheet, some time after the request, whatever was answered.
    /// Source: StoreKit, «Testing refund requests».
    case bySheet
  }

  static let timeMax: Int64 = 31_536_000_000
  /// How many requests one call can bring about.
  static let requestsMax = 10
  /// From a refund to its reversal where nothing else is said.
  static let reversalStandard: Int64 = 3_600_000

  var decided = Decided.never
  /// From the first accepted answer to the decision; by the sheet: from the request.
  var afterMilliseconds: Int64 = 1000
  /// From a request to the decision where no answer is accepted meanwhile; nil waits for an answer for ever.
  var unansweredAfterMilliseconds: Int64?
  /// From a refund to its reversal.
  var reverseAfterMilliseconds: Int64?
  /// From a request to a further notification about it, with a UUID of its own, if it is still open then.
  var repeatAfterMilliseconds: Int64?
  /// From a request about a subscription until its renewal is switched off.
  var renewalOffAfterMilliseconds: Int64?
  /// The customer asks again after the decision; how that goes on.
  var then: [Scenario] = []
  /// From the decision until then.
  var thenAfterMilliseconds: Int64 = 60_000

  init() {}

  /// What the settings say.
  init(_ settings: SimulatorSettings) {
    afterMilliseconds = settings.decideAfterMilliseconds
    unansweredAfterMilliseconds = settings.decideUnansweredAfterMilliseconds
    reverseAfterMilliseconds = settings.reverseAfterMilliseconds
    repeatAfterMilliseconds = settings.repeatAfterMilliseconds
    renewalOffAfterMilliseconds = settings.renewalOffAfterMilliseconds
    follow(settings.decide)
  }

  /// Reads `scenario` of a call: a word, or an object whose members go over the settings.
  init(_ value: JSONValue, over standard: Scenario, depth: Int = 1) throws(ControlError) {
    self = standard
    then = []
    if let text = value.string {
      guard let word = Word(rawValue: text) else { throw Self.unknownWord("scenario") }
      follow(word)
      return
    }
    guard let object = value.object else { throw .badRequest("scenario is neither a word nor an object") }
    let call = CallMembers(object)
    try call.refuseOthers(than: [
      "decide", "revocationType", "revocationPercentage", "afterMilliseconds", "unansweredAfterMilliseconds",
      "reverseAfterMilliseconds", "repeatAfterMilliseconds", "renewalOffAfterMilliseconds", "then",
      "thenAfterMilliseconds",
    ])
    if let given = object["decide"] {
      guard let word = given.string.flatMap(Word.init(rawValue:)) else { throw Self.unknownWord("decide") }
      follow(word)
    }
    if object["revocationType"] != nil || object["revocationPercentage"] != nil {
      guard case .by(let decision) = decided, decision.kind == .refund else {
        throw .badRequest("revocationType and revocationPercentage go with a refund alone")
      }
      decided = .by(try Decision(.refund, object, over: decision))
    }
    let times = 0...Self.timeMax
    afterMilliseconds = try call.integer("afterMilliseconds", in: times) ?? afterMilliseconds
    unansweredAfterMilliseconds =
      try call.integer("unansweredAfterMilliseconds", in: times) ?? unansweredAfterMilliseconds
    reverseAfterMilliseconds = try call.integer("reverseAfterMilliseconds", in: times) ?? reverseAfterMilliseconds
    repeatAfterMilliseconds = try call.integer("repeatAfterMilliseconds", in: times) ?? repeatAfterMilliseconds
    renewalOffAfterMilliseconds =
      try call.integer("renewalOffAfterMilliseconds", in: times) ?? renewalOffAfterMilliseconds
    thenAfterMilliseconds = try call.integer("thenAfterMilliseconds", in: times) ?? thenAfterMilliseconds
    if let next = object["then"] {
      guard depth < Self.requestsMax else {
        throw .badRequest("a scenario has at most \(Self.requestsMax) requests, one inside the other")
      }
      // What comes then begins from the settings too.
      then = [try Scenario(next, over: standard, depth: depth + 1)]
    }
  }

  private mutating func follow(_ word: Word) {
    if word != .reversed, word != .refund, word != .prorated { reverseAfterMilliseconds = nil }
    switch word {
    case .none: decided = .never
    case .refund: decided = .by(Decision(.refund))
    case .prorated: decided = .by(.prorated)
    case .declined: decided = .by(Decision(.declined))
    case .reversed:
      decided = .by(Decision(.refund))
      reverseAfterMilliseconds = reverseAfterMilliseconds ?? Self.reversalStandard
    case .sheet: decided = .bySheet
    }
  }

  private static func unknownWord(_ key: String) -> ControlError {
    .badRequest("\(key) is not one of " + Word.allCases.map(\.rawValue).joined(separator: ", "))
  }
}

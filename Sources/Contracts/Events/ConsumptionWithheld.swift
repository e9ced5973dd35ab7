public import JSON

/// A refund request ended without an answer.
///
/// Stream purchase/<environment>/<transactionId>. Written once per ending; no failure, but a decision with its
/// reason.
public struct ConsumptionWithheld: SortedEventData {
  public static let type = EventType.consumptionWithheld

  /// Id of the event that opened the refund request.
  public var request: String
  /// Why there was no answer.
  public var reason: Reason
  /// Why, in words for people.
  public var explanation: String
  /// With noFacts: the facts that were missing.
  public var missing: [String]?
  /// With policy: name of the rule.
  public var rule: String?
  public var additional: JSONObject

  public init(
    request: String, reason: Reason, explanation: String, missing: [String]? = nil, rule: String? = nil,
    additional: JSONObject = JSONObject()
  ) {
    self.request = request
    self.reason = reason
    self.explanation = explanation
    self.missing = missing
    self.rule = rule
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    request = try members.required("request", .eventID)
    reason = try members.required("reason", .oneOf)
    explanation = try members.required("explanation", .text)
    missing = try members.optional("missing", .list(of: .name))
    rule = try members.optional("rule", .name)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("request", request)
    members.put("reason", reason)
    members.put("explanation", explanation)
    members.put("missing", missing)
    members.put("rule", rule)
  }

  public enum Reason: String, Sendable, ClosedWord {
    /// Nothing allows the sending.
    case noConsent
    /// A required fact is missing.
    case noFacts
    /// The backend does not know the purchase.
    case unknownPurchase
    /// Apple takes no answer for it.
    case notAnswerable
    /// The rules say so.
    case policy
    /// The window closed while waiting for Apple, a key or a person.
    case expired
    /// Apple decided before.
    case alreadyDecided
  }
}

public import JSON

/// The backend ended or restored access.
///
/// Stream purchase/<environment>/<transactionId>. Until it comes, the case shows that access is not confirmed.
public struct AccessConfirmed: SortedEventData {
  public static let type = EventType.accessConfirmed

  /// What became of the access.
  public var state: State
  /// When the author of the statement made it. Statements are ordered by this instant, not by arrival.
  /// Milliseconds since 1970, UTC.
  public var statedAt: Int64
  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String
  /// What was done, in words for people.
  public var note: String?
  public var additional: JSONObject

  public init(
    state: State, statedAt: Int64, by: String, note: String? = nil, additional: JSONObject = JSONObject()
  ) {
    self.state = state
    self.statedAt = statedAt
    self.by = by
    self.note = note
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    state = try members.required("state", .oneOf)
    statedAt = try members.required("statedAt", .instant)
    by = try members.required("by", .name)
    note = try members.optional("note", .text)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("state", state)
    members.put("statedAt", statedAt)
    members.put("by", by)
    members.put("note", note)
  }

  public enum State: String, Sendable, ClosedWord {
    /// The customer no longer has what was bought.
    case ended
    /// Has it again.
    case restored
  }
}

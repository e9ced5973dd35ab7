public import JSON

/// A customer's personal data was blanked.
///
/// Stream customer/<pseudonym>. Names the positions whose data is gone; holds no account token.
public struct CustomerErased: SortedEventData {
  public static let type = EventType.customerErased

  /// Positions blanked, ascending.
  public var positions: [Int64]
  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String
  /// On whose request, in words for people. Never a token.
  public var reason: String
  public var additional: JSONObject

  public init(
    positions: [Int64], by: String, reason: String, additional: JSONObject = JSONObject()
  ) {
    self.positions = positions
    self.by = by
    self.reason = reason
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    positions = try members.required("positions", .list(of: .integer(in: 1 ... .max)))
    by = try members.required("by", .name)
    reason = try members.required("reason", .text)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("positions", positions)
    members.put("by", by)
    members.put("reason", reason)
  }
}

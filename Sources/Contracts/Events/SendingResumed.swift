public import JSON

/// A person allowed sending again after a restore.
///
/// Stream log.
public struct SendingResumed: SortedEventData {
  public static let type = EventType.sendingResumed

  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String
  /// Why, in words for people.
  public var note: String?
  public var additional: JSONObject

  public init(
    by: String, note: String? = nil, additional: JSONObject = JSONObject()
  ) {
    self.by = by
    self.note = note
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    by = try members.required("by", .name)
    note = try members.optional("note", .text)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("by", by)
    members.put("note", note)
  }
}

public import JSON

/// The log was restored from a backup.
///
/// Stream log. What was appended after the backup is lost here; readers rebuild, and sending is paused until
/// SendingResumed.
public struct LogRestored: SortedEventData {
  public static let type = EventType.logRestored

  /// When the backup was made. Milliseconds since 1970, UTC.
  public var backupAt: Int64
  /// Last position the backup holds.
  public var head: Int64
  /// Who restored it.
  public var by: String?
  public var additional: JSONObject

  public init(
    backupAt: Int64, head: Int64, by: String? = nil, additional: JSONObject = JSONObject()
  ) {
    self.backupAt = backupAt
    self.head = head
    self.by = by
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    backupAt = try members.required("backupAt", .instant)
    head = try members.required("head", .integer(in: 0 ... .max))
    by = try members.optional("by", .name)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("backupAt", backupAt)
    members.put("head", head)
    members.put("by", by)
  }
}

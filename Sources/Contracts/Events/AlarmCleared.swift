public import JSON

/// An alarm is over.
///
/// Stream alarm/<name>.
public struct AlarmCleared: SortedEventData {
  public static let type = EventType.alarmCleared

  /// Name of the alarm, as in the stream.
  public var alarm: String
  /// What ended it.
  public var text: String?
  public var additional: JSONObject

  public init(
    alarm: String, text: String? = nil, additional: JSONObject = JSONObject()
  ) {
    self.alarm = alarm
    self.text = text
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    alarm = try members.required("alarm", .name)
    text = try members.optional("text", .text)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("alarm", alarm)
    members.put("text", text)
  }
}

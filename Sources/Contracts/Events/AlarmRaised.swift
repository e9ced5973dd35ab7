public import JSON

/// Something needs a person.
///
/// Stream alarm/<name>. Open until AlarmCleared on the same stream.
public struct AlarmRaised: SortedEventData {
  public static let type = EventType.alarmRaised

  /// Name of the alarm, as in the stream.
  public var alarm: String
  /// What is wrong.
  public var text: String
  /// What to do.
  public var advice: String
  /// Since when, where it began before it was noticed. Milliseconds since 1970, UTC.
  public var since: Int64?
  public var additional: JSONObject

  public init(
    alarm: String, text: String, advice: String, since: Int64? = nil, additional: JSONObject = JSONObject()
  ) {
    self.alarm = alarm
    self.text = text
    self.advice = advice
    self.since = since
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    alarm = try members.required("alarm", .name)
    text = try members.required("text", .text)
    advice = try members.required("advice", .text)
    since = try members.optional("since", .instant)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("alarm", alarm)
    members.put("text", text)
    members.put("advice", advice)
    members.put("since", since)
  }
}

/// How the log's names read in CloudEvents (FORMAT, «CloudEvents»); works for names of newer releases too.
public enum CloudEventsNames {
  /// `refundlog.notification.received.v1` for NotificationReceived, schema 1.
  public static func type(of name: String, schema: Int64) -> String { "refundlog.\(dotted(name)).v\(schema)" }

  /// `urn:refundlog:schema:notification.received.v1`, the `$id` of the schema.
  public static func dataSchema(of name: String, schema: Int64) -> String {
    "urn:refundlog:schema:\(dotted(name)).v\(schema)"
  }

  /// The name split at capitals, lower case, joined by dots.
  static func dotted(_ name: String) -> String {
    var result: [UInt8] = []
    for byte in name.utf8 {
      let isCapital = byte >= 0x41 && byte <= 0x5A
      if isCapital, !result.isEmpty { result.append(UInt8(ascii: ".")) }
      result.append(isCapital ? byte | 0x20 : byte)
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// What is known of one key, for the list that `--help` prints.
public struct SettingKey: Sendable, Equatable {
  /// With dots for what stands inside another: `receiver.port`; `apps[]` for the members of a list.
  public var path: String
  public var kind: String
  /// As it would be written; nil where the key must be given.
  public var standard: String?
  public var meaning: String

  /// The same key where it stands inside another.
  func inside(_ outer: String) -> Self {
    var key = self
    key.path = "\(outer).\(path)"
    return key
  }

  /// `receiver.port` → `REFUNDLOG_RECEIVER_PORT`, `dataFolder` → `REFUNDLOG_DATA_FOLDER`,
  /// `notificationURL` → `REFUNDLOG_NOTIFICATION_URL`.
  public static func variable(for path: String) -> String {
    var name = "REFUNDLOG_"
    var wasCapital = false
    for character in path {
      if character == "." {
        name += "_"
      } else if character.isUppercase && !wasCapital {
        name += "_\(character)"
      } else {
        name += character.uppercased()
      }
      wasCapital = character.isUppercase
    }
    return name
  }
}

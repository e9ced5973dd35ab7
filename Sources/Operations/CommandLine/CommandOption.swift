/// One flag of a command.
struct CommandOption {
  var name: String
  /// What stands after it, in capitals; nil for a switch.
  var value: String?
  var meaning: String
  /// Whether the line of usage shows it.
  var isCommon = true

  var usage: String { "[--\(name)\(value.map { " \($0)" } ?? "")]" }

  static let data = CommandOption(
    name: "data", value: "FOLDER",
    meaning: "data folder of the services; default: REFUNDLOG_DATA, what the settings name, else ./data")
  static let settings = CommandOption(
    name: "settings", value: "FILE",
    meaning: "settings file of the services; default: REFUNDLOG_SETTINGS, else ./refundlog.json where it is there")
  static let json = CommandOption(name: "json", value: nil, meaning: "one JSON object in one line, for machines")
}

import JSON
import Service

/// `refundlog settings`
struct SettingsList: Command {
  static let page = CommandPage(
    name: "settings", summary: "Lists every key of the settings file, with kind, default, meaning and variable",
    details: """
      One file serves both services and the simulator; each leaves alone what only another reads. A variable goes over
      the file. The variable of a list or an object holds it as JSON; members of a list have none of their own.
      """,
    options: [.json])

  private let surroundings: RefundlogProgram.Surroundings
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    self.surroundings = surroundings
    asJSON = try surroundings.arguments(words, for: Self.page).has("json")
  }

  func run() throws(CommandError) {
    let entries = SettingsKeys.all()
    if asJSON {
      let keys = entries.map { entry -> JSONValue in
        var key: JSONObject = [
          "key": .string(entry.key.path), "kind": .string(entry.key.kind), "meaning": .string(entry.key.meaning),
          "programs": .array(entry.programs.map { .string($0) }),
        ]
        key["default"] = entry.key.standard.map { .string($0) }
        key["variable"] = entry.variable.map { .string($0) }
        return .object(key)
      }
      return surroundings.print(JSONValue.object(["keys": .array(keys)]).text() + "\n")
    }
    for entry in entries {
      surroundings.print(
        "\(entry.key.path)  (\(entry.key.kind); \(entry.key.standard.map { "default \($0)" } ?? "must be given"))\n"
          + "    \(entry.key.meaning)\n    \(entry.variable.map { "\($0); " } ?? "")read by "
          + "\(entry.programs.joined(separator: ", "))\n")
    }
  }
}

import Service

/// `refundlog.md`: what comments would say if JSON had any.
enum SettingsCompanion {
  static func text(settings: String) -> String {
    var text = """
      # The settings in \(settings.split(separator: "/").last ?? "")

      The file is strict JSON and holds no comments; this is what they would say. One file serves both services and the
      simulator; each leaves alone what only another reads. What is not in the file has its default. A variable goes
      over the file; one of a list or an object holds it as JSON. `refundlog settings` prints this list for the release
      that is installed, and running services take a changed file over within a second.

      | key | kind | default | meaning | variable |
      | --- | --- | --- | --- | --- |

      """
    for entry in SettingsKeys.all() {
      let cells = [
        "`\(entry.key.path)`", entry.key.kind, entry.key.standard.map { "`\($0)`" } ?? "must be given",
        entry.key.meaning, entry.variable.map { "`\($0)`" } ?? "",
      ]
      text += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
    return text
  }
}

import Glibc

/// Where settings come from, read once and again when something they rest on has changed.
struct SettingsSource<Settings> {
  let file: String?
  let environment: [String: String]
  let warn: (String) -> Void
  let read: (SettingsReader) -> Settings
  /// What was read, each with what the file looked like before it was read.
  private var prints: [String: FilePrint?] = [:]

  init(
    file: String?, environment: [String: String], warn: @escaping (String) -> Void,
    read: @escaping (SettingsReader) -> Settings
  ) {
    self.file = file
    self.environment = environment
    self.warn = warn
    self.read = read
  }

  /// Whether a file is another one than when it was read, also where it was at fault then.
  var hasChanged: Bool { prints.contains { FilePrint($0.key) != $0.value } }

  mutating func load() throws(SettingsError) -> Settings {
    try SettingsReader.load(file: file, environment: environment, warn: warn, noting: { prints = $0 }, read)
  }
}

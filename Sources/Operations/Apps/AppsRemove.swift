import Service

/// `refundlog apps remove`
struct AppsRemove: Command {
  static let page = CommandPage(
    name: "apps remove", words: ["BUNDLE-ID"], summary: "Takes an app out of the settings",
    details: """
      Nothing of it leaves the log. Its requests that are open are not answered any more; new notifications of it are
      parked, and apps add feeds them in again.
      """,
    options: [.settings])

  private let surroundings: RefundlogProgram.Surroundings
  private let file: SettingsFile
  private let bundleID: String

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    bundleID = arguments.words[0]
    file = try SettingsFile.read(arguments, surroundings)
  }

  func run() throws(CommandError) {
    try SettingsFile.refuseVariable(surroundings)
    let apps = AppEntry.all(of: file)
    guard let index = apps.firstIndex(where: { $0.bundleID == bundleID }) else {
      let known = apps.compactMap(\.bundleID)
      let near = Nearest.word(to: bundleID, among: known).map { "; did you mean \($0)?" } ?? "."
      throw CommandError(
        .failure,
        Shown.text(
          "\(file.path) names no app \(bundleID)\(near) It names "
            + (known.isEmpty ? "none" : known.joined(separator: ", "))))
    }
    try SettingsDraft.put(
      SettingsEdit(file).removing(app: index), at: file.path, was: file.print,
      variables: surroundings.variables)
    surroundings.print(
      """
      \(Shown.text(bundleID)) is taken out of \(file.path); what the log holds of it stays.
      Running services take that over within a second: its open requests are not answered any more, and its new
      notifications are parked, not lost.

      """)
  }
}

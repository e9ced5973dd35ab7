/// Every command there is, in the order in which help lists them.
enum CommandCatalogue {
  static var all: [any Command.Type] {
    [
      Demo.self, Init.self, CasesList.self, CaseShow.self, CaseAnswer.self, CaseHold.self, CaseRelease.self,
      Explain.self, Parked.self, ParkedRemove.self, Quarantine.self, AppsList.self, AppsAdd.self, AppsRemove.self,
      TokensList.self, TokensAdd.self, TokensRemove.self, LogTail.self, LogVerify.self, ShowStatistics.self,
      ExportLog.self, ImportLog.self, MigrateLog.self, Rebuild.self, BackUp.self, Restore.self, Resume.self,
      SettingsList.self,
    ]
  }

  /// What stands over a group's list.
  static let groups = [
    "log": "Reads, proves and copies the event log", "apps": "The apps in the settings",
    "tokens": "The tokens that callers of the responder's API show",
  ]

  /// The command that the words name, and what follows its name.
  static func command(in words: [String]) -> (command: any Command.Type, rest: [String])? {
    // `parked remove` before `parked`.
    for command in all.sorted(by: { $0.page.name.utf8.count > $1.page.name.utf8.count }) {
      let name = command.page.name.split(separator: " ").map(String.init)
      if words.starts(with: name) { return (command, Array(words.dropFirst(name.count))) }
    }
    return nil
  }

  static func commands(of group: String) -> [any Command.Type] { all.filter { $0.page.group == group } }
}

import EventLog
import Service

/// `refundlog log migrate`
struct MigrateLog: Command {
  static let page = CommandPage(
    name: "log migrate", summary: "Brings a log of an older format to the one of this release",
    details: """
      With the services stopped, and after a backup. It works on a copy, which takes the log's place when it is proved;
      so the disk needs room for the log once more. A release says when this is to be run; services refuse a format that
      they do not know.
      """,
    options: [.data, .settings])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
  }

  func run() throws(CommandError) {
    let result: LogMigration.Result
    do throws(TransferError) { result = try LogMigration(of: folder).run() } catch { throw CommandError(error) }
    if result.steps.isEmpty {
      return surroundings.print("The log has format \(result.now), which is the newest: there is nothing to do.\n")
    }
    for step in result.steps { surroundings.print("\(step)\n") }
    surroundings.print(
      "The log has format \(result.now) now, \(result.found) before. Start the services of this release.\n")
  }
}

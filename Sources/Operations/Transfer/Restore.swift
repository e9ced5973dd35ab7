import Contracts
import Cryptography
import EventLog
import Service

/// `refundlog restore`
struct Restore: Command {
  static let page = CommandPage(
    name: "restore", words: ["BACKUP"], summary: "Puts a backup in the place of a log that is gone",
    details: """
      With the services stopped. The folder must hold no log: move the old one away, whole. The copy is proved first; what
      was made of the old log is removed and made again. Afterwards nothing is sent to Apple until refundlog resume, as
      nobody knows what was sent after the backup. State that is in the folder already is newer, and is left as it is.
      """,
    options: [.data, .settings])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let clock: WallClock
  private let backup: String

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    clock = try SettingsFile.clock(arguments, surroundings)
    backup = arguments.words[0]
  }

  func run() throws(CommandError) {
    let parts = LogParts(clock: clock.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid)
    let by = "operator:\(surroundings.user)"
    let now = clock.now()
    let restored: LogRestore.Result
    do throws(TransferError) {
      restored = try LogRestore(backup, states: DataFolder.states).run(
        into: folder, parts: parts,
        event: { place, backupAt in
          EventDraft(
            ofLog: LogRestored(backupAt: backupAt, head: place.position.value, by: by),
            id: EventIDs.new(.restored, uuid: SecureRandom.uuid()), at: now)
        }, discard: { DataFolder.removeProjections(folder) })
    } catch { throw CommandError(error) }
    var text = """
      \(folder): log \(restored.log) up to position \(restored.place.position), proved, as of the backup of \
      \(RFC3339.text(restored.backupAt))

      """
    if !restored.hadManifest {
      text += "no backup.json came with it: the log is proved, and nothing says which files belong to it\n"
    }
    if !restored.states.isEmpty { text += "restored with it: \(restored.states.joined(separator: ", "))\n" }
    if !restored.kept.isEmpty {
      text += "there already, and left as it is: \(restored.kept.joined(separator: ", "))\n"
    }
    text += """
      Position \(restored.restored) says so in the log. Start the services: notifications are taken, and nothing is sent to
      Apple until refundlog resume. Requests that were open after the backup may have been answered; look at them with
      refundlog cases --state open.

      """
    surroundings.print(text)
  }
}

extension EventDraft {
  /// An event about the log itself.
  init(ofLog data: some EventData, id: String, at instant: Int64) {
    let type = Swift.type(of: data).type
    self.init(
      id: EventID(id), stream: StreamName(Streams.log), type: type.rawValue, schema: type.schema, occurredAt: instant,
      data: data.encoded())
  }
}

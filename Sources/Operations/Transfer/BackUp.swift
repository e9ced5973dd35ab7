import Cryptography
import EventLog
import JSON
import Service

/// `refundlog backup`
struct BackUp: Command {
  static let page = CommandPage(
    name: "backup", words: ["PLACE"], summary: "Copies log and state, consistently and beside running services",
    details: """
      PLACE is a folder to be made in one that is there, outside the data folder; its disk needs the room. A PLACE that ends with .sqlite is one file with the
      log alone. It has its name when everything is on disk, and nothing is written over. Meanwhile the write-ahead log
      grows by what is appended. Prove it with refundlog log verify --data PLACE; it holds the log's secret.
      """,
    options: [.data, .settings, .json])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let clock: WallClock
  private let place: String
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    clock = try SettingsFile.clock(arguments, surroundings)
    place = Self.withoutSlashes(arguments.words[0])
    asJSON = arguments.has("json")
  }

  func run() throws(CommandError) {
    let began = MonotonicClock.milliseconds()
    let backup = LogBackup(of: folder, states: DataFolder.states)
    let made: BackupManifest
    do throws(TransferError) {
      made = try place.hasSuffix(".sqlite") ? backup.makeFile(place, clock: clock) : backup.make(place, clock: clock)
    } catch { throw CommandError(error) }
    let milliseconds = MonotonicClock.milliseconds() - began
    let bytes = made.files.values.reduce(0, +)
    if asJSON {
      func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }
      let found: JSONValue = [
        "place": .string(place), "log": .string(made.log), "startedAt": number(made.startedAt),
        "position": number(made.place.position.value), "chain": .string(Hex.encode(made.place.chain)),
        "bytes": number(bytes), "milliseconds": number(milliseconds),
        "files": .array(made.files.keys.sorted().map { .string($0) }),
      ]
      return surroundings.print(found.text() + "\n")
    }
    surroundings.print(
      """
      \(place): log \(made.log) up to position \(made.place.position), as of \(RFC3339.text(made.startedAt))
      \(Size.text(bytes)) in \(Size.seconds(milliseconds)): \(made.files.keys.sorted().joined(separator: ", "))

      """)
  }

  private static func withoutSlashes(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

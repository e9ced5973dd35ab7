import EventLog
import Glibc
import SQLite
import Service

/// A data folder after a power cut or a kill: whether it opens, proves whole, goes on, and what it holds.
struct SurvivingFolder {
  /// Ids of the notifications in the log.
  private(set) var stored: Set<String> = []
  /// Of those that are parked.
  private(set) var parked: Set<String> = []
  /// What the bell said before the log was opened; nil where it counts as absent.
  private(set) var bell: Int64?
  private(set) var head = Position.start
  /// What is wrong with it, in words; nil where nothing is.
  private(set) var fault: String?

  init(_ path: String) {
    bell = Self.bell(path)
    do {
      let log = try LocalEventLog.open(path, clock: .system)
      defer { log.close() }
      head = try log.head().position
      var bookmark = Bookmark(startOf: log.identity)
      while true {
        let events = try log.read(after: bookmark, limit: 500)
        if events.isEmpty { break }
        for event in events {
          bookmark = bookmark.passing(event)
          if event.id.text.hasPrefix("notification/") { stored.insert(String(event.id.text.dropFirst(13))) }
        }
      }
      let proof = try LogVerifier(folder: path).verify()
      if proof.head != head { fault = "verify stops at \(proof.head), the log at \(head)" }
      let next = try log.append([
        EventDraft(
          id: EventID("after/the-cut"), stream: StreamName("app/after"), type: "Noted", occurredAt: 1,
          data: Array("{}".utf8))
      ])
      if next != .recorded([.appended(head.next)]) { fault = "the next event gets \(next) after \(head)" }
      parked = try Self.parked(path)
    } catch { fault = "\(error)" }
  }

  /// Not more than the file says: read here without the reader that is being tested.
  private static func bell(_ path: String) -> Int64? {
    guard let bytes = try? Files.read("\(path)/events.bell", bytesMax: 64), bytes.count == 40 else { return nil }
    let position = bytes[..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return position > 0 ? position : nil
  }

  private static func parked(_ path: String) throws -> Set<String> {
    let file = "\(path)/receiver-state.sqlite"
    guard access(file, F_OK) == 0 else { return [] }
    // The receiver opens it for writing, and so makes the tables where they are missing.
    let sqlite = try SQLiteConnection(path: file, mode: .readWrite)
    sqlite.ownCheckpoints()
    let complaint = try sqlite.row("PRAGMA integrity_check(1)") { $0.text(0) }
    if complaint != "ok" { throw StartError(.damage, "\(file): \(complaint ?? "no answer")") }
    let hasTable = try sqlite.row("SELECT count(*) FROM sqlite_schema WHERE name = 'parked'") { $0.integer(0) } == 1
    return hasTable ? Set(try sqlite.rows("SELECT notification_uuid FROM parked") { $0.text(0) }) : []
  }

  /// Of what was answered with 200, that which is nowhere.
  func missing(of acknowledged: Set<String>) -> [String] {
    acknowledged.subtracting(stored).subtracting(parked).sorted()
  }
}

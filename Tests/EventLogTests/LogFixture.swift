import Cryptography
import EventLog
import SQLite
import Synchronization
import TestSupport

/// Logs for tests, and drafts to fill them with.
enum LogFixture {
  /// A steady clock, counted salts and ids: the same calls give the same log.
  static func parts() -> LogParts {
    let salts = Atomic(UInt8(0))
    return LogParts(
      clock: { 1_764_500_000_000 },
      randomBytes: { count in
        let salt = salts.wrappingAdd(1, ordering: .relaxed).newValue
        return [UInt8](repeating: salt, count: count)
      },
      newLogID: { SecureRandom.uuid() })
  }

  static func draft(
    _ id: String, stream: String = "app/com.example", data: String = "{}", type: String = "Noted"
  ) -> EventDraft {
    EventDraft(
      id: EventID(id), stream: StreamName(stream), type: type, occurredAt: 1, data: Array(data.utf8))
  }

  /// Changes a closed log past its guards, which stand again afterwards: as somebody would who wants to change history.
  static func change(_ folder: String, _ sql: String) throws {
    let sqlite = try SQLiteConnection(path: folder + "/events.sqlite", mode: .readWrite)
    let guards = try sqlite.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") {
      ($0.text(0), $0.text(1))
    }
    for (name, _) in guards { try sqlite.execute("DROP TRIGGER \(name)") }
    try sqlite.execute(sql)
    for (_, text) in guards { try sqlite.execute(text) }
  }

  static func local(_ folder: borrowing TemporaryFolder) throws -> LocalEventLog {
    try LocalEventLog(folder: folder.path, access: .readWrite, parts: parts())
  }
}

import EventLog
import SQLite
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog log verify") struct DamageTests {
  /// Ten events, then something is done to the file as by somebody who takes the guards off for it.
  private func verify(after change: String?) throws -> (code: Int32, output: String) {
    let folder = TemporaryFolder()
    let log = try LocalEventLog.open(folder.path, clock: .system)
    _ = try log.append(
      (1...10).map {
        EventDraft(
          id: EventID("note/\($0)"), stream: StreamName("app/com.example"), type: "Noted", occurredAt: $0,
          data: Array("{\"n\":\($0)}".utf8))
      })
    log.close()
    if let change {
      let sqlite = try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readWrite)
      let guards = try sqlite.rows(
        "SELECT name, sql FROM sqlite_schema WHERE name IN ('events_update', 'events_delete')"
      ) {
        ($0.text(0), $0.text(1))
      }
      for (name, _) in guards { try sqlite.execute("DROP TRIGGER \(name)") }
      try sqlite.execute(change)
      // Whoever hides what was done puts them back.
      for (_, text) in guards { try sqlite.execute(text) }
    }
    return try run("\(Programs.folder)/refundlog", ["log", "verify", "--data", folder.path])
  }

  @Test("proves an untouched log")
  func good() throws {
    let (code, output) = try verify(after: nil)
    #expect(code == 0 && output.contains("10 events, nothing altered"))
  }

  @Test(
    "names the position of what was changed, removed, lost or blanked, and ends with 65",
    arguments: [
      ("UPDATE events SET data = replace(data, '4', '5') WHERE position = 4", "position 4"),
      ("DELETE FROM events WHERE position = 6", "position 6"),
      ("DELETE FROM events WHERE position > 8", "position 9"),
      ("UPDATE events SET data = NULL, seams = NULL, salt = NULL WHERE position = 3", "position 3"),
    ])
  func damage(change: String, words: String) throws {
    let (code, output) = try verify(after: change)
    #expect(code == ExitCode.damage.rawValue)
    #expect(output.contains(words), "\(output)")
  }
}

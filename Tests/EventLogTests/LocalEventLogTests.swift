import EventLog
import Glibc
import SQLite
import Service
import TestSupport
import Testing

@Suite("The log on disk") struct LocalEventLogTests {
  private func draft(_ id: String, data: String = "{\"x\":\"0123456789\"}") -> EventDraft {
    LogFixture.draft(id, data: data)
  }

  /// A log of ten events, closed; its folder goes with the caller.
  private func filled(_ folder: borrowing TemporaryFolder) throws {
    let log = try LogFixture.local(folder)
    _ = try log.append((1...10).map { draft("e\($0)") })
    log.close()
  }

  private func sqlite(_ folder: borrowing TemporaryFolder) throws -> SQLiteConnection {
    try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readWrite)
  }

  @Test("has the format's page size, journal, application id and version")
  func pragmas() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let sqlite = try sqlite(folder)
    #expect(try sqlite.row("PRAGMA page_size") { $0.integer(0) } == 8_192)
    #expect(try sqlite.row("PRAGMA journal_mode") { $0.text(0) } == "wal")
    #expect(try sqlite.row("PRAGMA application_id") { $0.integer(0) } == 0x5246_4C47)
    #expect(try sqlite.row("PRAGMA user_version") { $0.integer(0) } == 1)
    #expect(try sqlite.row("SELECT count(*), sum(erased) FROM log_v1") { [$0.integer(0), $0.integer(1)] } == [10, 0])
  }

  @Test(
    "refuses every way to change history",
    arguments: [
      "INSERT OR REPLACE INTO events SELECT 3, id, stream, version, type, schema, kind, environment, app, customer, occurred_at, signed_at, recorded_at, causation, correlation, 'x', seams, salt, digest, chain FROM events WHERE position = 3",
      "INSERT OR REPLACE INTO events SELECT 11, id, stream, 11, type, schema, kind, environment, app, customer, occurred_at, signed_at, recorded_at, causation, correlation, data, seams, salt, digest, chain FROM events WHERE position = 3",
      "INSERT OR REPLACE INTO events SELECT 11, 'new', stream, version, type, schema, kind, environment, app, customer, occurred_at, signed_at, recorded_at, causation, correlation, data, seams, salt, digest, chain FROM events WHERE position = 3",
      "INSERT INTO events SELECT 12, 'new', stream, 11, type, schema, kind, environment, app, customer, occurred_at, signed_at, recorded_at, causation, correlation, data, seams, salt, digest, chain FROM events WHERE position = 3",
      "INSERT INTO events SELECT NULL, 'new', stream, 11, type, schema, kind, environment, app, customer, occurred_at, signed_at, recorded_at, causation, correlation, data, seams, salt, digest, chain FROM events WHERE position = 3",
      "UPDATE events SET data = 'x' WHERE position = 3",
      "UPDATE events SET data = NULL WHERE position = 3",
      "UPDATE events SET type = 'Other', data = NULL, seams = NULL, salt = NULL WHERE position = 3",
      "UPDATE OR REPLACE events SET position = 4 WHERE position = 3",
      "UPDATE events SET chain = x'00', data = NULL, seams = NULL, salt = NULL WHERE position = 3",
      "REPLACE INTO log SELECT * FROM log",
      "INSERT INTO log SELECT * FROM log",
      "UPDATE log SET id = 'x'",
      "DELETE FROM log",
      "DELETE FROM events WHERE position = 10",
      "DELETE FROM events",
      "INSERT OR REPLACE INTO headers (id, digest, bytes) SELECT id, digest, x'00' FROM headers",
      "UPDATE headers SET bytes = x'00'",
      "DELETE FROM headers",
    ])
  func guards(statement: String) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    var events = (1...9).map { draft("e\($0)") }
    var signed = draft("signed")
    signed.headers = [[1, 2, 3]]
    signed.seams = Seams(
      .spliced(
        headerDigests: [[UInt8](repeating: 9, count: 32)],
        tokens: [.init(header: 0, payload: 0..<1, signature: [UInt8](repeating: 0, count: 64))]))
    events.append(signed)
    _ = try log.append(events)
    let before = try log.read(after: .start, limit: 20)
    let sqlite = try sqlite(folder)
    #expect { try sqlite.execute(statement) } throws: { ($0 as? SQLiteError)?.isConstraint == true }
    #expect(try log.read(after: .start, limit: 20) == before)
  }

  @Test("lets one event be erased by hand as well")
  func erasureByHand() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    try sqlite(folder).execute("UPDATE events SET data = NULL, seams = NULL, salt = NULL WHERE position = 3")
    let proof = try LogVerifier(folder: folder.path).verify()
    #expect(proof.blanks == [Position(3)] && proof.events == 10)
  }

  @Test("is read by others while it is written")
  func readers() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    _ = try log.append([draft("a")])
    let reader = try LocalEventLog(folder: folder.path, access: .readOnly, parts: LogFixture.parts())
    #expect(try reader.head() == log.head())
    _ = try log.append([draft("b")])
    #expect(try reader.read(after: .start, limit: 9).map(\.id.text) == ["a", "b"])
    #expect(throws: AppendError.notWritten("the log was opened for reading only")) { try reader.append([draft("c")]) }
  }

  @Test("is written by two openers in turn, in one gap-free order")
  func twoWriters() throws {
    let folder = TemporaryFolder()
    let logs = [try LogFixture.local(folder), try LogFixture.local(folder)]
    #expect(logs[0].identity == logs[1].identity)
    let threads = logs.enumerated().map { index, log in
      OwnedThread(name: "writer") {
        for round in 0..<200 { _ = try! log.append([LogFixture.draft("\(index)/\(round)")]) }
      }
    }
    for thread in threads { thread.join() }
    for log in logs { log.close() }
    #expect(try LogVerifier(folder: folder.path).verify().events == 400)
  }

  @Test("is closed only after what waits is written, and says so afterwards")
  func closing() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    let done = Monitor(0)
    for index in 0..<100 { log.submit([draft("e\(index)")], expecting: [:]) { _ in done.change { $0 += 1 } } }
    log.close()
    #expect(done.withLock { $0 } == 100)
    #expect(throws: AppendError.closed) { try log.append([draft("late")]) }
    #expect(try LogVerifier(folder: folder.path).verify().events == 100)
  }

  @Test("keeps its write-ahead log short by checkpoints of its own")
  func checkpoints() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    let data = "\"" + String(repeating: "x", count: 60_000) + "\""
    for round in 0..<600 { _ = try log.append([draft("e\(round)", data: data)]) }
    var status = stat()
    #expect(stat(folder.path + "/events.sqlite-wal", &status) == 0)
    #expect(status.st_size < 3 * 1_000 * 8_192, "36 MB were written")
    #expect(try LogVerifier(folder: folder.path).verify().events == 600)
  }

  @Test("does not open what is no log of ours, and says why")
  func openErrors() throws {
    let empty = TemporaryFolder()
    #expect(throws: LogOpenError.absent(path: empty.path + "/events.sqlite")) {
      try LocalEventLog(folder: empty.path, access: .readOnly, parts: LogFixture.parts())
    }
    let other = TemporaryFolder()
    try SQLiteConnection(path: other.path + "/events.sqlite", mode: .create).execute("CREATE TABLE t (x)")
    #expect(throws: LogOpenError.notALog(path: other.path + "/events.sqlite")) { try LogFixture.local(other) }
    let text = TemporaryFolder()
    let file = fopen(text.path + "/events.sqlite", "w")
    fputs(String(repeating: "not a database ", count: 1_000), file)
    fclose(file)
    #expect {
      try LogFixture.local(text)
    } throws: {
      // It was one.
      ($0 as? LogOpenError)?.isDamage == true && "\($0)".contains("restore a backup")
    }
    let newer = TemporaryFolder()
    try filled(newer)
    try sqlite(newer).execute("PRAGMA user_version=2")
    #expect(throws: LogOpenError.newerFormat(path: newer.path + "/events.sqlite", found: 2, supported: 1)) {
      try LogFixture.local(newer)
    }
  }

  @Test("notices that another log was put in its place")
  func replaced() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    _ = try log.append([draft("a")])
    let bookmark = try log.head()
    log.close()
    for name in ["events.sqlite", "events.sqlite-wal", "events.sqlite-shm", "events.bell"] {
      remove(folder.path + "/" + name)
    }
    let second = try LogFixture.local(folder)
    defer { second.close() }
    #expect(throws: LogReadError.replaced(expected: log.identity.id, found: second.identity.id)) {
      try log.read(after: bookmark, limit: 1)
    }
  }

  @Test("never acknowledges into a file that is no longer at its path")
  func removedOrReplaced() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    _ = try log.append([draft("a")])
    let names = ["events.sqlite", "events.sqlite-wal", "events.sqlite-shm"]
    for name in names { #expect(rename("\(folder.path)/\(name)", "\(folder.path)/\(name).away") == 0) }
    #expect(throws: AppendError.self) { try log.append([draft("b")]) }
    // Another log at the path is not written either: its pseudonyms would be made with the wrong secret.
    remove(folder.path + "/events.bell")
    let other = try LogFixture.local(folder)
    _ = try other.append([draft("x")])
    #expect(throws: AppendError.self) { try log.append([draft("b")]) }
    #expect(try other.head().position == Position(1))
    other.close()
    // The bell there is now the other log's.
    remove(folder.path + "/events.bell")
    for name in names {
      remove("\(folder.path)/\(name)")
      #expect(rename("\(folder.path)/\(name).away", "\(folder.path)/\(name)") == 0)
    }
    #expect(try log.append([draft("b")]) == .recorded([.appended(Position(2))]))
  }

  @Test("made by VACUUM INTO is written with a write-ahead log again")
  func vacuumed() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let copy = TemporaryFolder()
    try sqlite(folder).execute("VACUUM INTO '\(copy.path)/events.sqlite'")
    let log = try LogFixture.local(copy)
    defer { log.close() }
    #expect(try sqlite(copy).row("PRAGMA journal_mode") { $0.text(0) } == "wal")
    #expect(try log.append([draft("new")]) == .recorded([.appended(Position(11))]))
  }
}

import EventLog
import Glibc
import SQLite
import TestSupport
import Testing

@Suite("Verification of a log") struct LogVerifierTests {
  /// A log of ten events.
  private func fill(_ folder: borrowing TemporaryFolder) throws {
    let log = try LogFixture.local(folder)
    _ = try log.append((1...10).map { LogFixture.draft("e\($0)", data: "{\"n\":\($0)}") })
    log.close()
  }

  @Test("proves an untouched log and gives its head")
  func good() throws {
    let folder = TemporaryFolder()
    try fill(folder)
    let proof = try LogVerifier(folder: folder.path).verify()
    #expect(proof.events == 10 && proof.head == Position(10) && proof.blanks.isEmpty)
  }

  @Test(
    "names the first position that is not what it was",
    arguments: [
      ("UPDATE events SET data = '{\"n\":9}' WHERE position = 4", 4),
      ("UPDATE events SET data = replace(data, '5', '6') WHERE position = 5", 5),
      ("UPDATE events SET salt = zeroblob(16) WHERE position = 4", 4),
      ("UPDATE events SET seams = x'02' WHERE position = 4", 4),
      ("UPDATE events SET type = 'Other' WHERE position = 4", 4),
      ("UPDATE events SET kind = '' WHERE position = 4", 4),
      ("UPDATE events SET occurred_at = 2 WHERE position = 4", 4),
      ("UPDATE events SET recorded_at = recorded_at + 1 WHERE position = 10", 10),
      ("UPDATE events SET stream = 'elsewhere' WHERE position = 1", 1),
      ("UPDATE events SET correlation = 'x' WHERE position = 4", 4),
      ("UPDATE events SET digest = zeroblob(32) WHERE position = 4", 4),
      ("UPDATE events SET chain = zeroblob(32) WHERE position = 10", 10),
      ("UPDATE events SET data = NULL WHERE position = 4", 4),
      ("UPDATE events SET salt = NULL WHERE position = 4", 4),
      ("DELETE FROM events WHERE position = 1", 1),
      ("DELETE FROM events WHERE position = 4", 4),
      ("DELETE FROM events WHERE position = 10", 10),
      ("DELETE FROM events WHERE position > 7", 8),
      ("DELETE FROM events", 1),
      ("DELETE FROM events WHERE position = 4; UPDATE events SET position = position - 1 WHERE position > 4", 4),
      (
        "INSERT INTO events SELECT 11, 'new', stream, 11, type, schema, kind, environment, app, customer, occurred_at, signed_at, recorded_at, causation, correlation, data, seams, salt, digest, chain FROM events WHERE position = 10",
        11
      ),
      ("UPDATE log SET secret = zeroblob(32)", 1),
      ("UPDATE log SET created_at = 1", 1),
    ] as [(String, Int64)])
  func damage(change: String, position: Int64) throws {
    let folder = TemporaryFolder()
    try fill(folder)
    try LogFixture.change(folder.path, change)
    #expect {
      try LogVerifier(folder: folder.path).verify()
    } throws: { error in
      guard case .damage(let damage) = error as? LogVerifier.Failure else { return false }
      return damage.position == Position(position)
    }
  }

  /// What may become of the tables and their guards.
  static let schemas: [(change: String, words: String)] = [
    ("DROP TRIGGER events_update", "the trigger events_update is missing"),
    ("DROP TRIGGER log_delete", "the trigger log_delete is missing"),
    ("DROP VIEW log_v1", "the view log_v1 is missing"),
    (
      "DROP TRIGGER events_delete; CREATE TRIGGER events_delete BEFORE DELETE ON events WHEN OLD.position > 9 BEGIN SELECT RAISE(ABORT, 'no'); END",
      "the trigger events_delete is not as it was made"
    ),
    (
      "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, 'signed_at INTEGER', 'signed_at INT    ') WHERE name = 'events'",
      "the table events is not as it was made"
    ),
    (
      "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, 'never', 'often') WHERE name = 'headers_delete'",
      "the trigger headers_delete is not as it was made"
    ),
    (
      "CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM events WHERE position = NEW.position; END",
      "somebody added the trigger more to the log's table events: drop it (DROP TRIGGER more)"
    ),
    (
      "CREATE UNIQUE INDEX one ON events (recorded_at)",
      "somebody added the index one to the log's table events: drop it (DROP INDEX one)"
    ),
  ]

  @Test("finds guards, tables and a view that are not as they were made; who writes is refused", arguments: schemas)
  func schema(_ schema: (change: String, words: String)) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    _ = try log.append([LogFixture.draft("e1")])
    log.close()
    try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readWrite).execute(schema.change)
    #expect {
      try LogVerifier(folder: folder.path).verify()
    } throws: { error in
      "\(error)".contains(schema.words)
    }
    #expect {
      try LogFixture.local(folder)
    } throws: { error in
      switch error as? LogOpenError {
      case .damaged(_, .malformed(let why)): why == schema.words
      case .unreachable(let why): schema.words.hasPrefix("somebody added") && why.hasSuffix(schema.words)
      default: false
      }
    }
  }

  @Test(
    "passes what others added for themselves",
    arguments: [
      "CREATE TABLE notes (x); CREATE INDEX noted ON notes (x)", "CREATE VIEW mine AS SELECT 1", "ANALYZE",
      "CREATE INDEX kinds ON events (kind)", "CREATE INDEX again ON events (id)",
    ])
  func additions(change: String) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    _ = try log.append([LogFixture.draft("e1")])
    log.close()
    try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readWrite).execute(change)
    #expect(try LogVerifier(folder: folder.path).verify().events == 1)
    let again = try LogFixture.local(folder)
    _ = try again.append([LogFixture.draft("e2")])
    again.close()
  }

  @Test("finds an index that does not agree with the events: it would store an event twice")
  func damagedIndex() throws {
    let folder = TemporaryFolder()
    try fill(folder)
    // The file is whole in itself now; the id stands once in its row and once in the index of ids.
    try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readWrite)
      .execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = try copy(folder.path + "/events.sqlite")
    let places = bytes.indices.filter { bytes[$0...].starts(with: "e10".utf8) }
    for place in places {
      bytes[place + 2] ^= 1
      try write(bytes, to: folder.path + "/events.sqlite")
      #expect(throws: LogVerifier.Failure.self, "at byte \(place)") { try LogVerifier(folder: folder.path).verify() }
      bytes[place + 2] ^= 1
    }
    #expect(places.count == 2)
    try write(bytes, to: folder.path + "/events.sqlite")
    #expect(try LogVerifier(folder: folder.path).verify().events == 10)
  }

  @Test("finds a tail that was lost with the write-ahead log, and the log does not open then")
  func lostTail() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    _ = try log.append([LogFixture.draft("a")])
    log.close()
    let names = ["events.sqlite", "events.sqlite-wal"]
    let kept = try names.map { try copy(folder.path + "/" + $0) }
    let again = try LogFixture.local(folder)
    _ = try again.append([LogFixture.draft("b"), LogFixture.draft("c")])
    again.close()
    for (name, bytes) in zip(names, kept) { try write(bytes, to: folder.path + "/" + name) }
    remove(folder.path + "/events.sqlite-shm")

    let lost = LogReadError.lost(from: Position(2), through: Position(3))
    #expect(throws: LogVerifier.Failure.damage(.init(position: Position(2), what: lost.description))) {
      try LogVerifier(folder: folder.path).verify()
    }
    let damaged = LogOpenError.damaged(path: folder.path + "/events.sqlite", lost)
    #expect(throws: damaged) { try LogFixture.local(folder) }
    #expect(throws: damaged) {
      try LocalEventLog(folder: folder.path, access: .readOnly, parts: LogFixture.parts())
    }
    #expect(damaged.description.contains("2 events are missing"))
    // A bell of another size or all zero counts as absent.
    for bell in [[], [UInt8](repeating: 0, count: 40), [UInt8](repeating: 1, count: 41)] {
      try write(bell, to: folder.path + "/events.bell")
      #expect(try LogVerifier(folder: folder.path).verify().events == 1)
    }
  }

  private func copy(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }
}

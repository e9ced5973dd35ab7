import Glibc
import SQLite
import Service
import TestSupport
import Testing

@testable import EventLog

@Suite("A migration of the log") struct LogMigrationTests {
  private func filled(_ folder: String) throws {
    let log = try LocalEventLog(folder: folder, access: .readWrite, parts: LogFixture.parts())
    _ = try log.append((1...3).map { LogFixture.draft("event/\($0)") })
    log.close()
  }

  /// To a format that no release has yet.
  private static func step(_ sql: String = "CREATE TABLE more (x INTEGER) STRICT") -> LogMigration.Step {
    LogMigration.Step(from: 1, to: 2, what: "a table more") { sqlite throws(SQLiteError) in try sqlite.execute(sql) }
  }

  private func migration(
    _ folder: String, _ steps: [LogMigration.Step], newest: Int64 = 2,
    prove: @escaping (String) throws(TransferError) -> Void = { _ throws(TransferError) in }
  ) -> LogMigration {
    LogMigration(of: folder, steps: steps, newest: newest, prove: prove)
  }

  private func format(_ folder: String) throws -> Int64? {
    try SQLiteConnection(path: folder + "/events.sqlite", mode: .readOnly).row("PRAGMA user_version") { $0.integer(0) }
  }

  @Test("has nothing to do in a log of the newest format, also beside a service, and refuses one of a newer format")
  func nothing() throws {
    let folder = TemporaryFolder()
    try filled(folder.path)
    let log = try LocalEventLog(folder: folder.path, access: .readWrite, parts: LogFixture.parts())
    #expect(try LogMigration(of: folder.path).run() == .init(found: 1, now: 1, steps: []))
    log.close()
    try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readWrite).execute("PRAGMA user_version=7")
    #expect(
      throws: TransferError.log(.newerFormat(path: folder.path + "/events.sqlite", found: 7, supported: 1))
    ) { try LogMigration(of: folder.path).run() }
    #expect(throws: TransferError.log(.absent(path: "/nowhere/events.sqlite"))) {
      try LogMigration(of: "/nowhere").run()
    }
  }

  @Test("goes step by step on a copy, which takes the log's place when it is proved")
  func steps() throws {
    let folder = TemporaryFolder()
    try filled(folder.path)
    let further = LogMigration.Step(from: 2, to: 3, what: "a second one") { sqlite throws(SQLiteError) in
      try sqlite.execute("CREATE TABLE further (x INTEGER) STRICT")
    }
    let proved = Monitor<[Int64]>([])
    let result = try migration(folder.path, [further, Self.step()], newest: 3) { copy throws(TransferError) in
      // The old one stands as it was until then.
      let (old, new) = (try? format(folder.path), try? format(copy))
      proved.change { $0 = [old ?? nil, new ?? nil].compactMap { $0 } }
    }.run()
    #expect(result == .init(found: 1, now: 3, steps: ["a table more", "a second one"]))
    #expect(proved.withLock { $0 } == [1, 3])
    #expect(try format(folder.path) == 3)
    let sqlite = try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readOnly)
    #expect(try sqlite.row("SELECT count(*) FROM events") { $0.integer(0) } == 3)
    #expect(access(folder.path + "/events.sqlite-wal", F_OK) != 0)
    #expect(access(folder.path + "/events.bell", F_OK) != 0)
    #expect(access(folder.path + "/.incoming", F_OK) != 0)
  }

  @Test("leaves the old log where a step fails, the copy is not whole, or a step is missing")
  func fails() throws {
    let folder = TemporaryFolder()
    try filled(folder.path)
    let before = try LogVerifier(folder: folder.path).verify()
    #expect(throws: TransferError.self) { try migration(folder.path, [Self.step("no SQL")]).run() }
    #expect(throws: TransferError.failed("not whole")) {
      try migration(folder.path, [Self.step()]) { _ throws(TransferError) in throw .failed("not whole") }.run()
    }
    #expect(throws: TransferError.failed("this release cannot bring format 2 to 3")) {
      try migration(folder.path, [Self.step()], newest: 3).run()
    }
    #expect(try LogVerifier(folder: folder.path).verify() == before)
    #expect(access(folder.path + "/.incoming", F_OK) != 0)
  }

  @Test("a log that lost its end keeps its bell, which alone knows of it, and is not migrated")
  func lostTail() throws {
    let folder = TemporaryFolder()
    try filled(folder.path)
    let path = folder.path + "/events.sqlite"
    #expect(system("cp '\(path)' '\(path).older'") == 0)
    let log = try LocalEventLog(folder: folder.path, access: .readWrite, parts: LogFixture.parts())
    _ = try log.append([LogFixture.draft("event/4")])
    log.close()
    #expect(system("mv '\(path).older' '\(path)' && rm -f '\(path)'-wal") == 0)
    #expect(
      throws: TransferError.log(.damaged(path: path, .lost(from: Position(4), through: Position(4))))
    ) { try migration(folder.path, [Self.step()]).run() }
    #expect(try format(folder.path) == 1 && access(folder.path + "/events.bell", F_OK) == 0)
  }

  @Test("does not begin while somebody may write, or reads in a transaction")
  func busy() throws {
    let folder = TemporaryFolder()
    try filled(folder.path)
    let log = try LocalEventLog(folder: folder.path, access: .readWrite, parts: LogFixture.parts())
    #expect(throws: TransferError.inUse(folder: folder.path)) { try migration(folder.path, [Self.step()]).run() }
    let reader = try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readOnly)
    try reader.execute("BEGIN; SELECT count(*) FROM events")
    _ = try log.append([LogFixture.draft("event/4")])
    log.close()
    #expect(throws: TransferError.self) { try migration(folder.path, [Self.step()]).run() }
    try reader.execute("COMMIT")
    #expect(try migration(folder.path, [Self.step()]).run().now == 2)
  }

  @Test("a process that is killed inside it leaves the old log, and the next try is as the first") func killed() throws
  {
    let folder = TemporaryFolder()
    try filled(folder.path)
    let before = try LogVerifier(folder: folder.path).verify()
    let places = TemporaryFolder()
    // What stands in the folder at that moment, as a kill would leave it.
    let (from, to) = (folder.path, places.path)
    let snapshot = { @Sendable (name: String) in _ = system("cp -r '\(from)' '\(to)/\(name)'") }
    let step = LogMigration.Step(from: 1, to: 2, what: "a table more") { sqlite throws(SQLiteError) in
      snapshot("copied")
      try sqlite.execute("CREATE TABLE more (x INTEGER) STRICT")
    }
    _ = try migration(folder.path, [step]) { _ throws(TransferError) in snapshot("changed") }.run()
    for name in ["copied", "changed"] {
      let left = "\(places.path)/\(name)"
      #expect(access(left + "/.incoming/events.sqlite", F_OK) == 0)
      #expect(try LogVerifier(folder: left).verify() == before)
      #expect(try migration(left, [Self.step()]).run().now == 2)
      #expect(access(left + "/.incoming", F_OK) != 0)
    }
  }
}

import Contracts
import EventLog
import Glibc
import JSON
import SQLite
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog backup and restore") struct BackupTests {
  private static func state(_ path: String, _ value: Int64) throws {
    let sqlite = try SQLiteConnection(path: path, mode: .create)
    try sqlite.execute(
      "PRAGMA journal_mode=WAL; CREATE TABLE IF NOT EXISTS kept (value INTEGER); DELETE FROM kept; PRAGMA user_version=1"
    )
    try sqlite.run("INSERT INTO kept VALUES (?)", [.integer(value)])
  }

  private static func state(_ path: String) throws -> Int64? {
    try SQLiteConnection(path: path, mode: .readOnly).row("SELECT value FROM kept") { $0.integer(0) }
  }

  private static func append(_ id: String, to folder: String) throws {
    let log = try LocalEventLog.open(folder, clock: .fixed(FilledLog.start + 5))
    defer { log.close() }
    _ = try log.append([
      EventDraft(
        id: EventID(id), stream: StreamName("elsewhere"), type: "SomethingLater", occurredAt: 0,
        data: Array("{}".utf8))
    ])
  }

  /// A data folder with both states, and a backup of it.
  private func backedUp(_ filled: borrowing FilledLog, to place: String) throws {
    try Self.state(filled.path + "/receiver-state.sqlite", 1)
    try Self.state(filled.path + "/responder-state.sqlite", 2)
    let result = Refundlog(["backup", place, "--data", filled.path])
    try #require(result.code == .success, "\(result.complained)")
  }

  // MARK: Backup

  @Test("copies log and states beside whoever has them open, readable by nobody else, with a manifest")
  func backup() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let log = try LocalEventLog.open(filled.path, clock: .fixed(FilledLog.start))
    defer { log.close() }
    try Self.state(filled.path + "/receiver-state.sqlite", 1)
    let target = place.path + "/one"
    let result = Refundlog(["backup", target + "/", "--data", filled.path, "--json"])
    #expect(result.code == .success, "\(result.complained)")
    let told = try JSONValue(bytes: Array(result.printed.utf8))
    #expect(told["position"]?.int64 == 7 && told["startedAt"]?.int64 == Refundlog.now)
    #expect(FilledLog.names(target) == ["backup.json", "events.sqlite", "receiver-state.sqlite"])
    #expect(FilledLog.mode(target) == 0o700)
    for name in FilledLog.names(target) { #expect(FilledLog.mode("\(target)/\(name)") == 0o600, "\(name)") }
    // Same tables, triggers, view, format, application id and page size; the same rows.
    #expect(try FilledLog.dump(target) == FilledLog.dump(filled.path))
    #expect(try Self.state(target + "/receiver-state.sqlite") == 1)
    #expect(try LogVerifier(folder: target).verify().head == Position(7))
    let manifest = try JSONValue(bytes: try #require(Project.bytes(target + "/backup.json")))
    let head = try log.head()
    #expect(manifest["log"]?.string == log.identity.id && manifest["position"]?.int64 == head.position.value)
    #expect(manifest["chain"] == told["chain"])
  }

  @Test("of it log verify looks at the manifest and the states, too") func looked() throws {
    let data = TemporaryFolder()
    let place = TemporaryFolder()
    try Self.append("one", to: data.path)
    try Self.state(data.path + "/receiver-state.sqlite", 1)
    let target = place.path + "/one"
    #expect(Refundlog(["backup", target, "--data", data.path]).code == .success)
    let whole = Refundlog(["log", "verify", "--data", target])
    #expect(whole.code == .success && whole.printed.contains("its files are those that backup.json tells of"))
    let size = Files.size(target + "/receiver-state.sqlite") ?? 0
    try Files.write([UInt8](repeating: 0x5A, count: Int(size)), to: target + "/receiver-state.sqlite")
    let result = Refundlog(["log", "verify", "--data", target])
    #expect(result.code == .damage && result.complained.contains("receiver-state.sqlite is damaged"))
  }

  @Test("writes over nothing, removes what a killed backup left, and makes one file where one is named")
  func places() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let target = place.path + "/one"
    try Files.makeFolder(target + ".part")
    try Files.write([1], to: target + ".part/events.sqlite")
    #expect(Refundlog(["backup", target, "--data", filled.path]).code == .success)
    let again = Refundlog(["backup", target, "--data", filled.path])
    #expect(again.code == .failure && again.complained.contains("nothing is written over"))
    let file = place.path + "/log.sqlite"
    #expect(Refundlog(["backup", file, "--data", filled.path]).code == .success)
    #expect(FilledLog.mode(file) == 0o600)
    #expect(Refundlog(["backup", file, "--data", filled.path]).code == .failure)
    #expect(FilledLog.names(place.path) == ["log.sqlite", "one"])
    let absent = Refundlog(["backup", place.path + "/two", "--data", "/nowhere"])
    #expect(absent.code == .unavailable && FilledLog.names(place.path) == ["log.sqlite", "one"])
  }

  @Test("makes no folders above its place, and none inside the data folder, however it is named")
  func wrongPlaces() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let before = FilledLog.names(filled.path)
    for name in ["/none/one", "/none/one.sqlite"] {
      let result = Refundlog(["backup", place.path + name, "--data", filled.path])
      #expect(result.code == .unavailable && result.complained.contains("there is no folder \(place.path)/none"))
    }
    try Files.makeFolder(filled.path + "/copies")
    #expect(symlink(filled.path + "/copies", place.path + "/link") == 0)
    for inside in [filled.path + "/one", filled.path + "/copies/one.sqlite", place.path + "/link/one"] {
      let result = Refundlog(["backup", inside, "--data", filled.path])
      #expect(result.code == .failure && result.complained.contains("would lie in the data folder"))
    }
    #expect(rmdir(filled.path + "/copies") == 0 && FilledLog.names(filled.path) == before)
    #expect(FilledLog.names(place.path) == ["link"])
    // What only begins with the same letters is another folder.
    #expect(mkdir(filled.path + "-copies", 0o700) == 0)
    defer { try? Files.removeFolder(filled.path + "-copies") }
    #expect(Refundlog(["backup", filled.path + "-copies/one", "--data", filled.path]).code == .success)
  }

  @Test("a folder at the draft's place that holds anything else is somebody's, and stays")
  func foreignDraft() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let target = place.path + "/one"
    try Files.makeFolder(target + ".part")
    for name in ["events.sqlite", "thesis.txt"] { try Files.write([1], to: "\(target).part/\(name)") }
    let result = Refundlog(["backup", target, "--data", filled.path])
    #expect(result.code == .failure && result.complained.contains("\(target).part is there already"))
    #expect(FilledLog.names(target + ".part") == ["events.sqlite", "thesis.txt"])
    #expect(FilledLog.names(place.path) == ["one.part"])
  }

  @Test(
    "a copy that no restore would take is none, and the older ones are to be kept", arguments: FilledLog.Fault.allCases)
  func unwhole(fault: FilledLog.Fault) throws {
    let filled = try FilledLog()
    try filled.damage(fault)
    let place = TemporaryFolder()
    for name in ["one", "one.sqlite"] {
      let result = Refundlog(["backup", "\(place.path)/\(name)", "--data", filled.path])
      #expect(result.code == .damage && result.complained.contains("so this is no backup"))
    }
    #expect(FilledLog.names(place.path).isEmpty)
  }

  @Test("a damaged state beside the log is told as such, and the log is not blamed for it") func damagedState() throws {
    let filled = try FilledLog()
    try Files.write([UInt8](repeating: 0x5A, count: 32_768), to: filled.path + "/receiver-state.sqlite")
    let place = TemporaryFolder()
    let result = Refundlog(["backup", place.path + "/one", "--data", filled.path])
    #expect(result.code == .unavailable && result.complained.contains("receiver-state.sqlite is damaged"))
    #expect(result.complained.contains("no part of the log") && !result.complained.contains("restore a backup"))
    #expect(FilledLog.names(place.path).isEmpty)
  }

  @Test("two at once to one place: the second is told of the first") func atOnce() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    try Files.makeFolder(place.path + "/one.part")
    let descriptor = open(place.path + "/one.part", O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let result = Refundlog(["backup", place.path + "/one", "--data", filled.path])
    #expect(result.code == .unavailable && result.complained.contains("another backup writes"))
  }

  @Test(
    "a log that lost its end is neither backed up nor exported",
    arguments: [
      ["backup", "PLACE/one"], ["backup", "PLACE/one.sqlite"], ["log", "export"],
      ["log", "export", "--lossless", "--output", "PLACE/copy"],
    ])
  func lostTail(words: [String]) throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    #expect(system("cp '\(filled.path)/events.sqlite' '\(place.path)/older'") == 0)
    try Self.append("lost", to: filled.path)
    #expect(system("mv '\(place.path)/older' '\(filled.path)/events.sqlite' && rm -f '\(filled.path)'/*-wal") == 0)
    let result = Refundlog(words.map { $0.replacing("PLACE", with: place.path) } + ["--data", filled.path])
    #expect(result.code == .damage, "\(result.complained)")
    #expect(result.complained.contains("1 event is missing from the end of the log, position 8"))
    #expect(result.printed.isEmpty && FilledLog.names(place.path).isEmpty)
  }

  @Test("a log without one of its guards is not backed up: no restore would take the copy") func unguarded() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    try SQLiteConnection(path: filled.path + "/events.sqlite", mode: .readWrite).execute("DROP TRIGGER events_delete")
    let result = Refundlog(["backup", place.path + "/one", "--data", filled.path])
    #expect(result.code == .damage && result.complained.contains("the trigger events_delete is missing"))
    #expect(FilledLog.names(place.path).isEmpty)
  }

  // MARK: Restore

  @Test(
    "says of what it cannot restore what it is, and names the backup, not the place it was copied to",
    arguments: [("", "it holds no log"), ("no database at all, whatever it is called", "file is not a database")])
  func unusable(text: String, sentence: String) throws {
    let place = TemporaryFolder()
    let copy = place.path + "/copy.sqlite"
    try Files.write(Array(text.utf8), to: copy)
    let result = Refundlog(["restore", copy, "--data", place.path + "/data"])
    #expect(result.code == .damage && result.complained.contains("\(copy) cannot be restored"))
    #expect(result.complained.contains(sentence) && !result.complained.contains(".incoming"), "\(result.complained)")
  }

  @Test("proves the copy, says in the log that it was restored, and removes what was made of the old one")
  func restore() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let target = place.path + "/backup"
    try backedUp(filled, to: target)
    try Self.append("lost", to: filled.path)

    // As the responder and the bell left it; the log itself was moved away.
    let data = place.path + "/data"
    try Files.makeFolder(data)
    for name in ["events.bell", "cases-v4.sqlite", "cases-v4.sqlite-wal", "cases-v9.sqlite"] {
      try Files.write([UInt8](repeating: 1, count: 40), to: "\(data)/\(name)")
    }
    for name in ["cases-v4.writer", "cases-v4.builder"] { try Files.write([], to: "\(data)/\(name)") }
    let result = Refundlog(["restore", target, "--data", data])
    #expect(result.code == .success, "\(result.complained)")
    #expect(result.printed.contains("up to position 7") && result.printed.contains("until refundlog resume"))
    // Without locks that somebody may hold, two would write at once.
    #expect(
      FilledLog.names(data) == [
        "cases-v4.builder", "cases-v4.writer", "events.sqlite", "log.writers", "receiver-state.sqlite",
        "responder-state.sqlite",
      ])
    #expect(try Self.state(data + "/receiver-state.sqlite") == 1)
    let log = try LocalEventLog.open(data, clock: .fixed(FilledLog.start))
    defer { log.close() }
    let events = try log.read(after: .start, limit: 100)
    #expect(try Array(events.dropLast()) == LocalEventLog.reading(filled.path).read(after: .start, limit: 7))
    let restored = try #require(events.last)
    #expect(restored.type == "LogRestored" && restored.stream.text == "log" && restored.position == Position(8))
    let said = try LogRestored(data: try #require(restored.data))
    #expect(said.backupAt == Refundlog.now && said.head == 7 && said.by == "operator:ada")
    #expect(try LogVerifier(folder: data).verify().head == Position(8))
  }

  @Test(
    "takes a bare copy, and a data folder that was copied as it lay with its write-ahead log", arguments: [true, false])
  func others(_ isBare: Bool) throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let log = try LocalEventLog.open(filled.path, clock: .fixed(FilledLog.start + 5))
    _ = try log.append([
      EventDraft(
        id: EventID("in the wal"), stream: StreamName("elsewhere"), type: "SomethingLater", occurredAt: 0,
        data: Array("{}".utf8))
    ])
    let copy = place.path + (isBare ? "/copy.sqlite" : "/copy")
    if isBare {
      #expect(Refundlog(["backup", copy, "--data", filled.path]).code == .success)
    } else {
      #expect(system("cp -r '\(filled.path)' '\(copy)'") == 0)
    }
    log.close()
    let data = place.path + "/data"
    let result = Refundlog(["restore", copy, "--data", data])
    #expect(result.code == .success, "\(result.complained)")
    #expect(result.printed.contains("no backup.json came with it"))
    let restored = try #require(try LocalEventLog.reading(data).read(after: Position(8), limit: 2).first)
    // Nobody says when it was made: not before its newest event.
    #expect(try LogRestored(data: try #require(restored.data)).backupAt == FilledLog.start + 5)
  }

  @Test("says that there is no backup where none is, whatever is missing") func noBackup() throws {
    let place = TemporaryFolder()
    for backup in [place.path, place.path + "/none", place.path + "/none.sqlite"] {
      let result = Refundlog(["restore", backup, "--data", place.path + "/data"])
      #expect(result.code == .unavailable && result.complained.contains("there is no backup at \(backup)"))
    }
    #expect(FilledLog.names(place.path).isEmpty)
  }

  @Test("refuses a folder with a log, and one that a service holds; state that is there stays")
  func refusals() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let target = place.path + "/backup"
    try backedUp(filled, to: target)
    let before = try FilledLog.dump(filled.path)
    let there = Refundlog(["restore", target, "--data", filled.path])
    #expect(there.code == .failure && there.complained.contains("mv \(filled.path) \(filled.path).old"))
    #expect(try FilledLog.dump(filled.path) == before)

    let log = try LocalEventLog.open(filled.path, clock: .fixed(FilledLog.start))
    #expect(system("mkdir '\(place.path)/away' && mv '\(filled.path)'/events.* '\(place.path)/away'") == 0)
    let held = Refundlog(["restore", target, "--data", filled.path])
    #expect(held.code == .unavailable && held.complained.contains("stop the services first"))
    log.close()
    try Self.state(filled.path + "/receiver-state.sqlite", 9)
    let result = Refundlog(["restore", target, "--data", filled.path])
    #expect(result.code == .success, "\(result.complained)")
    #expect(result.printed.contains("left as it is: receiver-state.sqlite, responder-state.sqlite"))
    #expect(try Self.state(filled.path + "/receiver-state.sqlite") == 9)
  }

  @Test(
    "a service that was not stopped writes nothing into the folder it had, and goes on in the restored one that takes its place"
  )
  func movedAway() throws {
    let parent = TemporaryFolder()
    let place = TemporaryFolder()
    let data = parent.path + "/data"
    try Self.append("one", to: data)
    let target = place.path + "/backup"
    #expect(Refundlog(["backup", target, "--data", data]).code == .success)
    let log = try LocalEventLog.open(data, clock: .fixed(FilledLog.start))
    defer { log.close() }
    #expect(rename(data, data + ".old") == 0)
    let draft = EventDraft(
      id: EventID("two"), stream: StreamName("elsewhere"), type: "SomethingLater", occurredAt: 0,
      data: Array("{}".utf8))
    do throws(AppendError) {
      _ = try log.append([draft])
      Issue.record("it wrote")
    } catch {
      guard case .notWritten(let why) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(why.contains("put it back, or restore a backup there"))
    }
    #expect(access(data, F_OK) != 0, "nothing is made there that a restore would have to remove")
    #expect(Refundlog(["restore", target, "--data", data]).code == .success)
    // As while something else is restored into it.
    let lock = open(data + "/log.writers", O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect(throws: AppendError.self) { _ = try log.append([draft]) }
    flock(lock, LOCK_UN)
    _ = try log.append([draft])
    let events = try LocalEventLog.reading(data).read(after: .start, limit: 10)
    #expect(events.map(\.type) == ["SomethingLater", "LogRestored", "SomethingLater"])
    #expect(try LocalEventLog.reading(data + ".old").head().position == Position(1))
    #expect(flock(lock, LOCK_EX | LOCK_NB) != 0, "it holds its share of the folder")
  }

  /// What may be wrong with a backup, and what is said of it.
  enum Harm: String, CaseIterable {
    case flipped, unguarded, cut, cutState, lostState, foreignState, damagedState, otherManifest, newerManifest,
      otherLog,
      absent
  }

  @Test("a copy that is not whole, or not what its manifest says, takes no log's place", arguments: Harm.allCases)
  func harmed(_ harm: Harm) throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let target = place.path + "/backup"
    try backedUp(filled, to: target)
    let file = target + "/events.sqlite"
    switch harm {
    case .flipped:
      // Past the guards, which would refuse it.
      let sqlite = try SQLiteConnection(path: file, mode: .readWrite)
      try sqlite.execute("DROP TRIGGER events_update; UPDATE events SET data = '{\"x\":2}' WHERE position = 4")
    case .unguarded:
      try SQLiteConnection(path: file, mode: .readWrite).execute("DROP TRIGGER headers_update")
    case .newerManifest:
      let text = String(decoding: try #require(Project.bytes(target + "/backup.json")), as: UTF8.self)
      try Files.write(Array(text.replacing(#""form":1"#, with: #""form":9"#).utf8), to: target + "/backup.json")
    case .cutState: #expect(truncate(target + "/receiver-state.sqlite", 4_096) == 0)
    case .damagedState:
      let size = Files.size(target + "/receiver-state.sqlite") ?? 0
      try Files.write([UInt8](repeating: 0x5A, count: Int(size)), to: target + "/receiver-state.sqlite")
    case .lostState: #expect(unlink(target + "/responder-state.sqlite") == 0)
    case .foreignState:
      let path = target + "/backup.json"
      let text = String(decoding: try #require(Project.bytes(path)), as: UTF8.self)
      try Files.write(Array(text.replacing("responder-state", with: "another-state").utf8), to: path)
    case .cut: #expect(truncate(file, 40_000) == 0)
    case .otherManifest:
      let text = String(decoding: try #require(Project.bytes(target + "/backup.json")), as: UTF8.self)
      try Files.write(Array(text.replacing(#""position":7"#, with: #""position":6"#).utf8), to: target + "/backup.json")
    case .otherLog: try Self.append("more", to: target)
    case .absent: #expect(unlink(file) == 0)
    }
    let data = place.path + "/data"
    let result = Refundlog(["restore", target, "--data", data])
    #expect(result.code == (harm == .newerManifest ? .unavailable : .damage), "\(result.complained)")
    let words: [Harm: String] = [
      .cut: "events.sqlite has 40000 bytes, the manifest says", .cutState: "receiver-state.sqlite has 4096 bytes",
      .lostState: "responder-state.sqlite is missing", .absent: "events.sqlite is missing",
      .foreignState: "responder-state.sqlite is there, and the manifest does not name it",
      .damagedState: "restore the log of this one alone, refundlog restore \(target)/events.sqlite",
    ]
    if let words = words[harm] { #expect(result.complained.contains(words), "\(result.complained)") }
    // What no restore takes is no backup for who looks at it before, either.
    let looked = Refundlog(["log", "verify", "--data", target])
    #expect(looked.code == result.code, "\(looked.complained)")
    if let words = words[harm], harm != .damagedState { #expect(looked.complained.contains(words)) }
    if harm == .unguarded { #expect(result.complained.contains("the trigger headers_update is missing")) }
    if harm == .newerManifest { #expect(result.complained.contains("use the newer release")) }
    #expect(!FilledLog.names(data).contains("events.sqlite"))
    #expect(access(data + "/.incoming", F_OK) != 0)
  }

  // MARK: Resume

  @Test("resume lets sending go on once, and does nothing where nothing is paused")
  func resume() throws {
    let filled = try FilledLog()
    let place = TemporaryFolder()
    let idle = Refundlog(["resume", "--data", filled.path])
    #expect(idle.code == .success && idle.printed.contains("Nothing is paused"))
    #expect(try LocalEventLog.reading(filled.path).head().position == Position(7))
    #expect(Refundlog(["resume", "--data", "/nowhere"]).code == .unavailable)

    let target = place.path + "/backup"
    let data = place.path + "/data"
    try backedUp(filled, to: target)
    #expect(Refundlog(["restore", target, "--data", data]).code == .success)
    let result = Refundlog(["resume", "--note", "looked at it", "--data", data])
    #expect(result.code == .success && result.printed.contains("position 9"), "\(result.complained)")
    let event = try #require(try LocalEventLog.reading(data).read(after: Position(8), limit: 2).first)
    let resumed = try SendingResumed(data: try #require(event.data))
    #expect(event.type == "SendingResumed" && resumed.by == "operator:ada" && resumed.note == "looked at it")
    #expect(Refundlog(["resume", "--data", data]).printed.contains("Nothing is paused"))
    #expect(try LocalEventLog.reading(data).head().position == Position(9))
  }
}

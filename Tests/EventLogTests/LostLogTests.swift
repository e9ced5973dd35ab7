import EventLog
import Glibc
import SQLite
import Service
import TestSupport
import Testing

/// A log under a running process becomes another one: an older copy, a shorter one, somebody else's.
@Suite("A log that is not what it was") struct LostLogTests {
  private static let names = ["events.sqlite", "events.sqlite-wal", "events.sqlite-shm"]

  private func draft(_ id: String) -> EventDraft { LogFixture.draft(id) }

  /// A folder's log, copied as it is now, and how it is put back in place of the later one.
  private struct Copy: ~Copyable {
    let from: String
    let kept = TemporaryFolder()

    init(of folder: borrowing TemporaryFolder) throws {
      from = folder.path
      for name in LostLogTests.names.dropLast() {
        #expect(system("cp '\(from)/\(name)' '\(kept.path)/\(name)'") == 0)
      }
    }

    /// As `mv` does it: the running process keeps the old files open.
    func putBack() {
      for name in LostLogTests.names { remove("\(from)/\(name)") }
      #expect(system("cp '\(kept.path)'/events.sqlite* '\(from)/'") == 0)
    }
  }

  /// What a running process does with its log.
  enum Door: String, CaseIterable, Sendable {
    case append, head, follow, stream, id

    func use(_ log: LocalEventLog, _ bookmark: Bookmark) throws {
      switch self {
      case .append: _ = try log.append([LogFixture.draft("new")])
      case .head: _ = try log.head()
      case .follow: _ = try log.read(after: bookmark, limit: 10)
      case .stream: _ = try log.read(stream: StreamName("app/com.example"), after: 0, limit: 10)
      case .id: _ = try log.read(id: EventID("a"))
      }
    }
  }

  @Test("is refused where its own older copy took its place, and the bell keeps what it knew", arguments: Door.allCases)
  func older(door: Door) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    _ = try log.append([draft("a")])
    let copy = try Copy(of: folder)
    _ = try log.append([draft("b"), draft("c")])
    let bookmark = try log.head()
    let bell = try #require(Project.bytes(folder.path + "/events.bell"))
    copy.putBack()

    let lost = "2 events are missing from the end of the log, positions 2 to 3: stop all services and restore a backup"
    // Again and again, and also where somebody removed the bell: the process remembers by itself.
    for _ in 0..<2 {
      #expect { try door.use(log, bookmark) } throws: { "\($0)".contains(lost) }
    }
    #expect(Project.bytes(folder.path + "/events.bell") == bell)
    remove(folder.path + "/events.bell")
    #expect { try door.use(log, bookmark) } throws: { "\($0)".contains(lost) }
    #expect(Project.bytes(folder.path + "/events.bell") == nil)
    #expect(try LogVerifier(folder: folder.path).verify().events == 1)
  }

  @Test("is not made anew in the place of one that the bell remembers", arguments: [true, false])
  func gone(removed: Bool) throws {
    let folder = TemporaryFolder()
    let first = try LogFixture.local(folder)
    _ = try first.append([draft("a"), draft("b")])
    first.close()
    let path = folder.path + "/events.sqlite"
    for name in Self.names { remove("\(folder.path)/\(name)") }
    if !removed { try Files.write([], to: path) }
    #expect(throws: LogOpenError.damaged(path: path, .lost(from: Position(1), through: Position(2)))) {
      try LogFixture.local(folder)
    }
    #expect(Files.size(path) == (removed ? nil : 0), "whoever restores the log finds its place free")
  }

  @Test(
    "is not made anew beside what stands only beside one",
    arguments: ["events.sqlite-wal", "receiver-state.sqlite", "cases-v4.sqlite"], [true, false])
  func remains(name: String, isEmptyThere: Bool) throws {
    let folder = TemporaryFolder()
    let remains = "\(folder.path)/\(name)"
    let bytes = [UInt8](repeating: 7, count: 5_000)
    try Files.write(bytes, to: remains)
    let path = folder.path + "/events.sqlite"
    if isEmptyThere { try Files.write([], to: path) }
    #expect(throws: LogOpenError.gone(path: path, remains: remains)) { try LogFixture.local(folder) }
    #expect(Project.bytes(remains) == bytes && Files.size(path) == (isEmptyThere ? 0 : nil))
  }

  @Test("is not made in a folder above which nothing is: its disk may not be mounted") func noParent() throws {
    let folder = TemporaryFolder()
    #expect {
      try LocalEventLog(folder: folder.path + "/disk/data", access: .readWrite, parts: LogFixture.parts())
    } throws: { "\($0)".contains("there is no folder \(folder.path)/disk: make it, or mount the disk") }
    #expect(!Files.isThere(folder.path + "/disk"))
  }

  @Test("is told apart from a bell that was altered, as far as that can be told") func alteredBell() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    _ = try log.append([draft("a"), draft("b")])
    log.close()
    var bell = try #require(Project.bytes(folder.path + "/events.bell"))
    bell[20] ^= 1
    try Files.write(bell, to: folder.path + "/events.bell")
    #expect {
      try LogFixture.local(folder)
    } throws: { "\($0)".contains("than events.bell beside it remembers") && "\($0)".contains("start without the bell") }
    #expect(throws: LogVerifier.Failure.self) { try LogVerifier(folder: folder.path).verify() }
    remove(folder.path + "/events.bell")
    #expect(try LogVerifier(folder: folder.path).verify().events == 2)
    try LogFixture.local(folder).close()
  }

  @Test("is refused where its copy went on without us", arguments: Door.allCases)
  func forked(door: Door) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    _ = try log.append([draft("a")])
    let copy = try Copy(of: folder)
    _ = try log.append([draft("b")])
    let bookmark = try log.head()
    copy.putBack()
    remove(folder.path + "/events.bell")
    let other = try LogFixture.local(folder)
    _ = try other.append([draft("x"), draft("y")])
    other.close()
    #expect {
      try door.use(log, bookmark)
    } throws: { "\($0)".contains("the log holds something else at position 2 than was written there") }
  }

  @Test("is taken again by all once it was restored, and a follower is told", arguments: Door.allCases)
  func restored(door: Door) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    _ = try log.append([draft("a")])
    let copy = try Copy(of: folder)
    _ = try log.append([draft("b"), draft("c")])
    let bookmark = try log.head()
    copy.putBack()
    remove(folder.path + "/events.bell")
    let other = try LogFixture.local(folder)
    _ = try other.append([LogFixture.draft("restored/1", stream: "log", type: "LogRestored")])
    other.close()
    if door == .follow {
      #expect(throws: LogReadError.restored(at: Position(2))) { try door.use(log, bookmark) }
    } else {
      try door.use(log, bookmark)
    }
    // From here on the restored log is the one that must not get shorter.
    _ = try log.append([draft("d")])
    copy.putBack()
    #expect { try log.append([draft("e")]) } throws: { "\($0)".contains("events are missing") }
  }

  @Test("is refused where one flipped bit dropped the end of its write-ahead log under two processes' feet")
  func lostTail() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    _ = try log.append([draft("a")])
    let path = folder.path + "/events.sqlite-wal"
    var before = stat()
    #expect(stat(path, &before) == 0)
    _ = try log.append([draft("b"), draft("c")])
    let bookmark = try log.head()
    // The bit in the first frame of the second commit, then the index is made anew: all connections but ours would
    // have to go for that, so ours is made to open anew by another file at the path.
    let file = try #require(fopen(path, "r+"))
    fseek(file, before.st_size + 100, SEEK_SET)
    let byte = fgetc(file)
    fseek(file, before.st_size + 100, SEEK_SET)
    fputc(byte ^ 1, file)
    fclose(file)
    #expect(
      system("cd '\(folder.path)' && for f in events.sqlite events.sqlite-wal; do cp $f $f.n; mv $f.n $f; done") == 0)
    remove(folder.path + "/events.sqlite-shm")
    let lost = "2 events are missing from the end of the log, positions 2 to 3"
    for door in Door.allCases {
      #expect { try door.use(log, bookmark) } throws: { "\($0)".contains(lost) }
    }
    log.close()
    #expect { try LogFixture.local(folder) } throws: { "\($0)".contains(lost) }
  }

  @Test("is refused by the other process too, which knows of its end by the bell alone")
  func otherProcess() throws {
    let folder = TemporaryFolder()
    let (ours, theirs) = (try LogFixture.local(folder), try LogFixture.local(folder))
    _ = try ours.append([draft("a")])
    let copy = try Copy(of: folder)
    _ = try theirs.append([draft("b")])
    copy.putBack()
    // Ours never saw «b».
    #expect { try ours.append([draft("c")]) } throws: {
      "\($0)".contains("1 event is missing from the end of the log, position 2")
    }
    for log in [ours, theirs] { log.close() }
  }
}

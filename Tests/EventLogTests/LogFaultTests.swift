import Glibc
import SQLite
import Service
import TestSupport
import Testing

@testable import EventLog

/// What whoever is awake at night reads when the disk does not do what the log asks.
@Suite("A fault of the disk") struct LogFaultTests {
  private static func sqlite(_ code: Int32) -> SQLiteError {
    SQLiteError(code: code, message: "as SQLite says", doing: "COMMIT", path: "/data/events.sqlite")
  }

  private static let ours = LogFault.Surroundings(folder: "/data", user: 998)
  private static let denied = LogFault.Surroundings(
    folder: "/data", user: 998, denied: (path: "/data/events.sqlite", owner: 0))
  private static let mountedReadOnly = LogFault.Surroundings(
    folder: "/data", user: 998, isReadOnlyDisk: true, denied: (path: "/data", owner: 0))
  private static let file = LogFault.Surroundings(
    folder: "/data", user: 998, denied: (path: "/data", owner: 0), noFolder: "/data")
  private static let bellFolder = LogFault.Surroundings(
    folder: "/data", user: 998, folderForFile: "/data/events.bell")
  private static let folderForFile =
    "/data/events.bell is a folder, where the log has a file: find out who made it, and move it away"
  private static let malformed =
    "the file is not what a log's file must be, as SQLite says: stop all services, run refundlog log verify and restore a backup"
  private static let wrongOwner =
    "/data/events.sqlite belongs to user 0, and this program runs as user 998, who may not use it: run it as user 0, "
    + "or give the folder and all files in it to user 998"
  private static let readOnly =
    "the disk that holds /data can only be read: look for its errors in the kernel's messages, then mount it for writing"
  private static let full =
    "the disk that holds /data is full: make room, and writing goes on by itself; nothing that was acknowledged is lost"

  @Test(
    "of SQLite is told in one sentence with what to do",
    arguments: [
      (13, ours, full),
      (14, denied, wrongOwner),
      (8, denied, wrongOwner),
      (10 | 13 << 8, denied, wrongOwner),
      (14, mountedReadOnly, readOnly),
      (8 | 5 << 8, mountedReadOnly, readOnly),
      (
        5, ours,
        "another program holds /data/events.sqlite locked past the gate that writers share: find it with fuser "
          + "/data/events.sqlite and end it"
      ),
      (
        10 | 4 << 8, ours,
        "the disk failed while /data/events.sqlite was written: look for its errors in the kernel's messages and "
          + "replace it; what was acknowledged before is not touched"
      ),
      (14, file, "/data is no folder: name the data folder of the services, or move away what is in its place"),
      (14, bellFolder, folderForFile),
      (11, ours, malformed), (26, ours, malformed), (10 | 2 << 8, ours, malformed),
      // Nothing to be seen around it: SQLite's own words.
      (14, ours, "/data/events.sqlite: as SQLite says (SQLite code 14) while doing: COMMIT"),
      (1, ours, "/data/events.sqlite: as SQLite says (SQLite code 1) while doing: COMMIT"),
      (7, ours, "/data/events.sqlite: as SQLite says (SQLite code 7) while doing: COMMIT"),
    ] as [(Int32, LogFault.Surroundings, String)])
  func sqlite(code: Int32, surroundings: LogFault.Surroundings, sentence: String) {
    #expect(LogFault(Self.sqlite(code), surroundings).description == sentence)
  }

  @Test(
    "of a system call is told by the same sentences",
    arguments: [
      (EISDIR, bellFolder, folderForFile), (EACCES, denied, wrongOwner), (EPERM, denied, wrongOwner),
      (EROFS, mountedReadOnly, readOnly),
      (ENOSPC, ours, full), (EDQUOT, ours, full), (EMFILE, ours, "/data/events.bell: cannot open: as it says"),
    ] as [(Int32, LogFault.Surroundings, String)])
  func system(code: Int32, surroundings: LogFault.Surroundings, sentence: String) {
    let error = FileError(path: "/data/events.bell", doing: "open", reason: "as it says", code: code)
    #expect(LogFault(error, surroundings).description == sentence)
  }

  @Test("is looked for in the folder and all files of the log")
  func look() throws {
    let folder = TemporaryFolder()
    try LogFixture.local(folder).close()
    let files = LogFiles(folder: folder.path)
    let clean = LogFault.Surroundings(folder: folder.path, user: geteuid())
    #expect(LogFault.Surroundings.look(at: files) == clean)
    // A folder that is not there yet is judged by the one above it.
    #expect(LogFault.Surroundings.look(at: LogFiles(folder: folder.path + "/a/b")).denied == nil)
  }

  @Test("never opens with a SQLite that does not know the format")
  func oldSQLite() {
    #expect(LogSchema.objection(toSQLite: 3_037_000) == nil)
    #expect(LogSchema.objection(toSQLite: SQLiteLibrary.version) == nil)
    #expect(
      LogSchema.objection(toSQLite: 3_036_999)?.description
        == "this system's SQLite is 3.36.999, the log needs 3.37.0 or later: install a newer libsqlite3")
  }

  @Test("is a gate that somebody else holds and does not give back: appends say so, and so does who opens")
  func heldGate() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    let holder = try FileHandle(path: folder.path + "/events.gate")
    #expect(flock(holder.descriptor, LOCK_EX) == 0)
    #expect {
      try log.append([LogFixture.draft("a")])
    } throws: {
      guard case .unknown(let why) = $0 as? AppendError else { return false }
      return why.contains("another process has held \(folder.path)/events.gate for over")
    }
    #expect(throws: LogOpenError.gateHeld(path: folder.path + "/events.gate", seconds: 1)) {
      try LocalEventLog(folder: folder.path, access: .readWrite, parts: LogFixture.parts(), gateMilliseconds: 1_000)
    }
    flock(holder.descriptor, LOCK_UN)
    // Who waited too long has left the queue.
    #expect(try log.append([LogFixture.draft("a")]).positions == [1])
    let other = try LogFixture.local(folder)
    #expect(try other.append([LogFixture.draft("b")]).positions == [2])
    other.close()
    log.close()
  }
}

extension AppendOutcome {
  fileprivate var positions: [Int64]? {
    guard case .recorded(let recordings) = self else { return nil }
    return recordings.map(\.position.value)
  }
}

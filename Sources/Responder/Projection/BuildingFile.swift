import Contracts
import EventLog
import SQLite
import Service

/// A projection that is being made from a log by stream, with how far that has come: killed at any moment, it goes on
/// from there.
///
/// Nothing is synced until the file is whole, so a file of another boot of the machine is not trusted: what was written
/// before the power went may be missing in it. For one thread.
final class BuildingFile {
  let sqlite: SQLiteConnection
  let store: CaseStore
  /// Which file this is, whatever its path leads to later.
  let place: FileIdentity
  /// Somebody began it before.
  let isResumed: Bool
  /// What the log held when this was begun: everything up to here is folded by stream.
  let head: Bookmark
  /// Position up to which streams are listed.
  private(set) var listed: Position
  /// The last stream, in order of names, that is folded.
  private(set) var folded: String?
  /// All streams are folded, the bookmark is written; what is left is to follow.
  private(set) var isFolded: Bool

  /// Goes on with the file that is there where it fits, else begins anew.
  static func open(_ files: ProjectionFiles, log: any EventLog) throws(ProjectionError) -> BuildingFile {
    if FileIdentity(path: files.building) != nil {
      if let found = try resumed(files.building, log) { return found }
      files.discardBuilding()
    }
    let head: Bookmark
    do throws(LogReadError) { head = try log.head() } catch { throw .log(error) }
    return try BuildingFile(files.building, head: head)
  }

  /// nil where it is damaged, or of another log, release or boot. What may pass is thrown: the work stays for the next try.
  private static func resumed(_ path: String, _ log: any EventLog) throws(ProjectionError) -> BuildingFile? {
    do {
      return try BuildingFile(resuming: path, log: log)
    } catch let error as SQLiteError {
      let failure = ProjectionError.store(error)
      if failure.isDamage { return nil }
      throw failure
    } catch let error as LogReadError {
      let failure = ProjectionError.log(error)
      if failure.isDamage { return nil }
      throw failure
    } catch {
      return nil
    }
  }

  private struct Unfit: Error {}

  private init(_ path: String, head: Bookmark) throws(ProjectionError) {
    do throws(SQLiteError) { sqlite = try Self.connection(path) } catch { throw .store(error) }
    guard let place = FileIdentity(path: path) else { throw .displaced }
    self.place = place
    isResumed = false
    store = CaseStore(building: sqlite)
    self.head = head
    listed = .start
    isFolded = false
    do throws(SQLiteError) { try begin() } catch { throw .store(error) }
  }

  private func begin() throws(SQLiteError) {
    try sqlite.transaction(immediate: true, failure: { $0 }) { () throws(SQLiteError) -> Void in
      try sqlite.execute(CaseStoreSchema.tables)
      try sqlite.execute(
        """
        CREATE TABLE streams (stream TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE build (one INTEGER PRIMARY KEY CHECK (one = 1), log TEXT NOT NULL, position INTEGER NOT NULL,
          chain BLOB NOT NULL, restored INTEGER NOT NULL, boot TEXT NOT NULL, release TEXT NOT NULL,
          listed INTEGER NOT NULL, folded TEXT, done INTEGER NOT NULL) STRICT;
        """)
      try sqlite.run(
        "INSERT INTO build VALUES (1, ?, ?, ?, ?, ?, ?, 0, NULL, 0)",
        [
          .text(head.log), .integer(head.position.value), .blob(head.chain), .integer(head.restored.value),
          .text(Self.boot), .text(Release.version),
        ])
    }
  }

  private init(resuming path: String, log: any EventLog) throws {
    sqlite = try Self.connection(path)
    guard let place = FileIdentity(path: path) else { throw Unfit() }
    self.place = place
    isResumed = true
    store = CaseStore(building: sqlite)
    // Begun by nobody, or killed before it was.
    guard try sqlite.row("SELECT 1 FROM sqlite_schema WHERE name = 'build'", [], { $0.integer(0) }) != nil else {
      throw Unfit()
    }
    let found = try sqlite.row(
      "SELECT log, position, chain, restored, boot, release, listed, folded, done FROM build", []
    ) {
      (
        Bookmark(
          log: $0.text(0), position: Position($0.integer(1)), chain: $0.bytes(2), restored: Position($0.integer(3))),
        boot: $0.text(4), release: $0.text(5), listed: $0.integer(6), folded: $0.optionalText(7), done: $0.integer(8)
      )
    }
    guard let found, found.boot == Self.boot, found.release == Release.version else { throw Unfit() }
    // Thrown where the log is not the one it was begun from.
    _ = try log.read(after: found.0, limit: 1)
    head = found.0
    listed = Position(found.listed)
    folded = found.folded
    isFolded = found.done == 1
  }

  private static func connection(_ path: String) throws(SQLiteError) -> SQLiteConnection {
    let sqlite = try SQLiteConnection(path: path, mode: .create)
    // New pages at the end of a file need no journal of what was there before.
    try sqlite.execute(
      "\(CaseStoreSchema.pragmas) PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=OFF; PRAGMA cache_size=-16000;")
    return sqlite
  }

  /// Names this boot of the machine.
  private static let boot: String = {
    let bytes = (try? Files.read("/proc/sys/kernel/random/boot_id", bytesMax: 128)) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }()

  // MARK: Listing

  /// Notes streams to be folded, and the position up to which there are no others.
  func list(_ streams: some Sequence<String>, through position: Position) throws(ProjectionError) {
    try store.change { () throws(ProjectionError) -> Void in
      do throws(SQLiteError) {
        for stream in streams { try sqlite.run("INSERT OR IGNORE INTO streams VALUES (?)", [.text(stream)]) }
        try sqlite.run("UPDATE build SET listed = ?", [.integer(position.value)])
      } catch { throw .store(error) }
    }
    listed = position
  }

  func streams(after last: String?, limit: Int) throws(ProjectionError) -> [StreamName] {
    do throws(SQLiteError) {
      return try sqlite.rows(
        "SELECT stream FROM streams WHERE stream > ? ORDER BY stream LIMIT ?",
        [.text(last ?? ""), .integer(Int64(limit))]
      ) { StreamName($0.text(0)) }
    } catch { throw .store(error) }
  }

  /// How many streams are listed, and how many of them are folded.
  func counts() throws(ProjectionError) -> (listed: Int64, folded: Int64) {
    do throws(SQLiteError) {
      let all = try sqlite.row("SELECT count(*) FROM streams") { $0.integer(0) } ?? 0
      guard let folded else { return (all, 0) }
      return (
        all, try sqlite.row("SELECT count(*) FROM streams WHERE stream <= ?", [.text(folded)]) { $0.integer(0) } ?? 0
      )
    } catch { throw .store(error) }
  }

  // MARK: Folding

  /// Writes what streams were folded to, and the name of the last of them.
  func keep(_ rows: [StoredState], _ marks: [StuckMark], through last: StreamName) throws(ProjectionError) {
    try store.change { () throws(ProjectionError) -> Void in
      for row in rows { try store.keep(row) }
      for mark in marks { try store.keep(mark) }
      do throws(SQLiteError) { try sqlite.run("UPDATE build SET folded = ?", [.text(last.text)]) } catch {
        throw .store(error)
      }
    }
    folded = last.text
  }

  func index(_ statement: String) throws(ProjectionError) {
    do throws(SQLiteError) { try sqlite.execute(statement) } catch {
      throw .store(error)
    }
  }

  /// Every stream is folded up to `head`: from here on the projection is followed by position.
  func finishFolding() throws(ProjectionError) {
    try store.change { () throws(ProjectionError) -> Void in
      try store.keep(head, replacing: nil)
      do throws(SQLiteError) { try sqlite.execute("DROP TABLE streams; UPDATE build SET done = 1") } catch {
        throw .store(error)
      }
    }
    isFolded = true
  }

  // MARK: The end

  /// Proves the file whole and makes it a projection as others are. How far it came stays in it, so that one that is
  /// killed before it is in its place is gone on with.
  func finish() throws(ProjectionError) {
    let complaint: String?
    do throws(SQLiteError) { complaint = try sqlite.row("PRAGMA quick_check(1)") { $0.text(0) } } catch {
      throw .store(error)
    }
    if let complaint, complaint != "ok" { throw .unproved(complaint) }
    do throws(SQLiteError) { try sqlite.execute("PRAGMA journal_mode=WAL") } catch {
      throw .store(error)
    }
  }
}

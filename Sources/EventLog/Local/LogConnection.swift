import Glibc
import SQLite
import Service

/// One connection to a log's file and what can be asked through it; for one thread at a time.
final class LogConnection {
  let sqlite: SQLiteConnection
  let identity: LogIdentity
  private let file: FileIdentity?

  /// Opens a file that holds a log already.
  init(_ files: LogFiles, mode: SQLiteConnection.Mode) throws(LogOpenError) {
    if let objection = LogSchema.objection(toSQLite: SQLiteLibrary.version) { throw objection }
    guard access(files.events, F_OK) == 0 || errno != ENOENT else { throw .absent(path: files.events) }
    file = FileIdentity(path: files.events)
    let application, version: Int64
    var objection: LogSchema.Objection?
    var row: LogIdentity?
    do throws(SQLiteError) {
      sqlite = try SQLiteConnection(path: files.events, mode: mode, busyMilliseconds: 2_000)
      if mode != .readOnly {
        sqlite.ownCheckpoints()
        // A copy made by VACUUM INTO has another journal, under which readers would stop the writer.
        try sqlite.execute("PRAGMA journal_mode=WAL;" + LogSchema.writerPragmas)
      }
      application = try sqlite.row("PRAGMA application_id") { $0.integer(0) } ?? 0
      version = try sqlite.row("PRAGMA user_version") { $0.integer(0) } ?? 0
      if application == LogSchema.applicationID, version == LogSchema.format {
        // Who only reads is told of it by the proof of what is read.
        if mode != .readOnly { objection = try LogSchema.objection(to: sqlite) }
        if objection == nil { row = try sqlite.logIdentity() }
      }
    } catch { throw LogOpenError(error, files) }
    guard application == LogSchema.applicationID else { throw LogOpenError(noLogAt: files) }
    guard version <= LogSchema.format else {
      throw .newerFormat(path: files.events, found: version, supported: LogSchema.format)
    }
    switch objection {
    case nil: break
    case .altered(let what): throw .damaged(path: files.events, .malformed(what))
    case .added(let what): throw .unreachable("\(files.events) is not written to: \(what)")
    }
    guard let row else { throw .notALog(path: files.events) }
    identity = row
  }

  /// Whether the path still leads to the file that was opened.
  func isCurrent(_ files: LogFiles) -> Bool { FileIdentity(path: files.events) == file }

  func head() throws(SQLiteError) -> LogPlace {
    try sqlite.newestPlace() ?? LogPlace(position: .start, chain: identity.genesis)
  }

  /// The bookmark of a reader that has read up to there.
  func bookmark(at place: LogPlace) throws(SQLiteError) -> Bookmark {
    Bookmark(
      log: identity.id, position: place.position, chain: place.chain,
      restored: try newestRestore(through: place.position))
  }

  func chain(at position: Position) throws(SQLiteError) -> [UInt8]? {
    if position == .start { return identity.genesis }
    return try sqlite.row("SELECT chain FROM events WHERE position = ?", [.integer(position.value)]) { $0.bytes(0) }
  }

  func events(
    where condition: String, _ values: [SQLiteValue], limit: Int
  ) throws(SQLiteError) -> [RecordedEvent] {
    try sqlite.rows(
      "SELECT \(LogSchema.columns) FROM events WHERE \(condition) LIMIT ?", values + [.integer(Int64(limit))],
      Self.event)
  }

  func header(digest: [UInt8]) throws(SQLiteError) -> [UInt8]? {
    try sqlite.row("SELECT bytes FROM headers WHERE digest = ?", [.blob(digest)]) { $0.bytes(0) }
  }

  /// Position of the newest LogRestored up to a position; `.start` where there is none.
  func newestRestore(through position: Position) throws(SQLiteError) -> Position {
    // By the index of streams, where versions rise with positions; the plus keeps the planner from walking all
    // positions backwards instead.
    try sqlite.row(
      "SELECT position FROM events WHERE stream = ? AND type = ? AND +position <= ? ORDER BY version DESC LIMIT 1",
      [.text(RecordedEvent.logStream), .text(RecordedEvent.logRestored), .integer(position.value)]
    ) { Position($0.integer(0)) } ?? .start
  }

  /// nil where the log is still the one that the bookmark's reader has read.
  func objection(to bookmark: Bookmark) throws(SQLiteError) -> LogReadError? {
    if bookmark.log != identity.id { return .replaced(expected: bookmark.log, found: identity.id) }
    let restored = try newestRestore(through: bookmark.position)
    if restored > bookmark.restored { return .restored(at: restored) }
    guard let chain = try chain(at: bookmark.position) else {
      return .lost(from: try head().position.next, through: bookmark.position)
    }
    return chain == bookmark.chain ? nil : .altered(bookmark.position)
  }

  static func event(_ row: borrowing SQLiteRow) -> RecordedEvent {
    RecordedEvent(
      position: Position(row.integer(0)), id: EventID(row.text(1)), stream: StreamName(row.text(2)),
      version: row.integer(3), type: row.text(4), schema: row.integer(5), kind: row.optionalText(6),
      environment: row.optionalText(7), app: row.optionalText(8), customer: row.optionalText(9),
      occurredAt: row.integer(10), signedAt: row.optionalInteger(11), recordedAt: row.integer(12),
      causation: row.optionalText(13).map(EventID.init), correlation: row.optionalText(14).map(EventID.init),
      data: row.optionalBytes(15), seams: row.optionalBytes(16), salt: row.optionalBytes(17), digest: row.bytes(18),
      chain: row.bytes(19))
  }
}

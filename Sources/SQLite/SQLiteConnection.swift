import CSQLite
import Glibc

/// One connection to one file, for one thread at a time.
public final class SQLiteConnection {
  public enum Mode: Sendable { case readOnly, readWrite, create }

  public let path: String
  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]
  /// Pages in the write-ahead log after the newest commit of this connection.
  public private(set) var walPages = 0

  /// Opens the file; `create` makes it where it is absent.
  /// - Parameter busyMilliseconds: how long a statement waits for another's lock before it fails.
  public init(path: String, mode: Mode, busyMilliseconds: Int32 = 5_000) throws(SQLiteError) {
    self.path = path
    let access =
      switch mode {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    // SQLite would wait at a pipe for ever.
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw SQLiteError(code: SQLITE_CANTOPEN, message: "it is no file", doing: "open", path: path)
    }
    _ = SQLiteLibrary.isConfigured
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw SQLiteError(code: code, message: message, doing: "open", path: path)
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs statements that give no rows, one after the other.
  public func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw error(code, doing: sql) }
  }

  /// Runs one statement that gives no rows.
  public func run(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    _ = try statement.step()
  }

  /// Runs a query and makes a value of each row.
  public func rows<Row>(
    _ sql: String, _ values: [SQLiteValue] = [], _ make: (borrowing SQLiteRow) throws(SQLiteError) -> Row
  ) throws(SQLiteError) -> [Row] {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var result: [Row] = []
    while try statement.step() { result.append(try make(SQLiteRow(statement: statement))) }
    return result
  }

  /// Runs a query and makes a value of its first row; nil where there is none.
  public func row<Row>(
    _ sql: String, _ values: [SQLiteValue] = [], _ make: (borrowing SQLiteRow) throws(SQLiteError) -> Row
  ) throws(SQLiteError) -> Row? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? try make(SQLiteRow(statement: statement)) : nil
  }

  /// Hands rows over one by one until `body` says false; for results too large to hold.
  public func forEachRow<Failure: Error>(
    _ sql: String, _ values: [SQLiteValue] = [], failure: (SQLiteError) -> Failure,
    _ body: (borrowing SQLiteRow) throws(Failure) -> Bool
  ) throws(Failure) {
    do throws(SQLiteError) {
      let statement = try statement(sql)
      try statement.bind(values)
    } catch { throw failure(error) }
    let statement = statements[sql]!
    defer { statement.reset() }
    while true {
      let found: Bool
      do throws(SQLiteError) { found = try statement.step() } catch { throw failure(error) }
      guard found, try body(SQLiteRow(statement: statement)) else { return }
    }
  }

  /// Runs `body` in one transaction: committed when it returns, rolled back when it throws.
  /// - Parameter immediate: takes the write lock at once, so that nothing read in between can be stale.
  public func transaction<Result, Failure: Error>(
    immediate: Bool, failure: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(SQLiteError) { try execute(immediate ? "BEGIN IMMEDIATE" : "BEGIN") } catch { throw failure(error) }
    do throws(Failure) {
      let result = try body()
      do throws(SQLiteError) { try execute("COMMIT") } catch { throw failure(error) }
      return result
    } catch {
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// Rows that the newest INSERT, UPDATE or DELETE touched.
  public var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Takes write-ahead logging into the caller's hands: nothing checkpoints by itself, neither after a commit
  /// nor on close, and `walPages` follows each commit.
  ///
  /// The hook takes the place of SQLite's automatic checkpoint; `PRAGMA wal_autocheckpoint` would take it back.
  public func ownCheckpoints() {
    _ = sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        Unmanaged<SQLiteConnection>.fromOpaque(context!).takeUnretainedValue().walPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
    csqlite_no_checkpoint_on_close(handle)
  }

  /// Leaves the write-ahead log as it is when this connection closes, the last one too. SQLite removes it by its path
  /// then, and another file's may lie there by now.
  public func leaveWriteAheadLogOnClose() { _ = csqlite_no_checkpoint_on_close(handle) }

  /// Copies what it can from the write-ahead log into the file, waiting for nobody.
  /// - Returns: pages in the write-ahead log and how many of them are now in the file.
  public func checkpointPassively() throws(SQLiteError) -> (pages: Int, copied: Int) {
    var pages: Int32 = 0
    var copied: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied)
    if code != SQLITE_OK { throw error(code, doing: "passive checkpoint") }
    return (Int(pages), Int(copied))
  }

  private func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let known = statements[sql] { return known }
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw error(code, doing: sql) }
    let statement = SQLiteStatement(pointer: pointer, sql: sql, path: path)
    statements[sql] = statement
    return statement
  }

  private func error(_ code: Int32, doing: String) -> SQLiteError {
    SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), doing: doing, path: path)
  }
}

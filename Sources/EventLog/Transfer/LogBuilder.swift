import SQLite

/// Writes a new file of format 1 from events that were recorded elsewhere. Nobody else is at the file, and one that is
/// not finished is thrown away: so nothing is synced before the end, and there is no journal.
final class LogBuilder {
  private let sqlite: SQLiteConnection

  init(path: String, identity: LogIdentity) throws(SQLiteError) {
    sqlite = try SQLiteConnection(path: path, mode: .create)
    try sqlite.execute(
      "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;")
    try sqlite.execute("BEGIN")
    try sqlite.createLog(identity)
  }

  func insert(header number: Int64, _ bytes: [UInt8], digest: [UInt8]) throws(SQLiteError) {
    try sqlite.run(
      "INSERT INTO headers (id, digest, bytes) VALUES (?, ?, ?)", [.integer(number), .blob(digest), .blob(bytes)])
  }

  func insert(_ event: RecordedEvent) throws(SQLiteError) { try sqlite.insert(event) }

  func finish() throws(SQLiteError) { try sqlite.execute("COMMIT") }
}

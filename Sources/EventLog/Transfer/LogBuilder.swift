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
    try sqlite.execute(LogSchema.create)
    try sqlite.execute("PRAGMA application_id=\(LogSchema.applicationID); PRAGMA user_version=\(identity.format);")
    try sqlite.run(
      "INSERT INTO log (id, secret, format, created_at) VALUES (?, ?, ?, ?)",
      [.text(identity.id), .blob(identity.secret), .integer(identity.format), .integer(identity.createdAt)])
  }

  func insert(header number: Int64, _ bytes: [UInt8], digest: [UInt8]) throws(SQLiteError) {
    try sqlite.run(
      "INSERT INTO headers (id, digest, bytes) VALUES (?, ?, ?)", [.integer(number), .blob(digest), .blob(bytes)])
  }

  func insert(_ event: RecordedEvent) throws(SQLiteError) {
    try sqlite.run(
      "INSERT INTO events (\(LogSchema.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(event.position.value), .text(event.id.text), .text(event.stream.text), .integer(event.version),
        .text(event.type), .integer(event.schema), .text(event.kind), .text(event.environment), .text(event.app),
        .text(event.customer), .integer(event.occurredAt), .integer(event.signedAt), .integer(event.recordedAt),
        .text(event.causation?.text), .text(event.correlation?.text), .utf8(event.data), .blob(event.seams),
        .blob(event.salt), .blob(event.digest), .blob(event.chain),
      ])
  }

  func finish() throws(SQLiteError) { try sqlite.execute("COMMIT") }
}

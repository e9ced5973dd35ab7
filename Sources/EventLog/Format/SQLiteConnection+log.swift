import SQLite

/// The rows of a log as values, and back.
extension SQLiteConnection {
  /// Makes the tables of a log in an empty file, and gives it its identity; in the caller's transaction.
  func createLog(_ identity: LogIdentity) throws(SQLiteError) {
    try execute(LogSchema.create)
    try execute("PRAGMA application_id=\(LogSchema.applicationID); PRAGMA user_version=\(identity.format);")
    try run(
      "INSERT INTO log (id, secret, format, created_at) VALUES (?, ?, ?, ?)",
      [.text(identity.id), .blob(identity.secret), .integer(identity.format), .integer(identity.createdAt)])
  }

  /// nil where the table has no row.
  func logIdentity() throws(SQLiteError) -> LogIdentity? {
    try row("SELECT id, secret, format, created_at FROM log") { row in
      LogIdentity(id: row.text(0), secret: row.bytes(1), format: row.integer(2), createdAt: row.integer(3))
    }
  }

  /// Of the newest event; nil in a log without events.
  func newestPlace() throws(SQLiteError) -> LogPlace? {
    try row("SELECT position, chain FROM events ORDER BY position DESC LIMIT 1") {
      LogPlace(position: Position($0.integer(0)), chain: $0.bytes(1))
    }
  }

  func insert(_ event: RecordedEvent) throws(SQLiteError) {
    try run(
      "INSERT INTO events (\(LogSchema.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(event.position.value), .text(event.id.text), .text(event.stream.text), .integer(event.version),
        .text(event.type), .integer(event.schema), .text(event.kind), .text(event.environment), .text(event.app),
        .text(event.customer), .integer(event.occurredAt), .integer(event.signedAt), .integer(event.recordedAt),
        .text(event.causation?.text), .text(event.correlation?.text), .utf8(event.data), .blob(event.seams),
        .blob(event.salt), .blob(event.digest), .blob(event.chain),
      ])
  }
}

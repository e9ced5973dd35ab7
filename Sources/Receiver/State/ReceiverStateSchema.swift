import SQLite

/// Tables of `receiver-state.sqlite`. Never rebuilt from the log, so a change of shape is a further
/// migration.
enum ReceiverStateSchema {
  static let fileName = "receiver-state.sqlite"

  /// Large values stand last in a row, so that what is counted lies before them. One for each
  /// `user_version`, from 1; those that a release has shipped are never edited.
  static let migrations = [
    """
    CREATE TABLE parked (id INTEGER PRIMARY KEY AUTOINCREMENT, identity TEXT NOT NULL UNIQUE, bundle TEXT,
      environment TEXT, app_apple_id INTEGER, notification_uuid TEXT, type TEXT, reason TEXT NOT NULL,
      detail TEXT NOT NULL, first_received_at INTEGER NOT NULL, last_received_at INTEGER NOT NULL,
      deliveries INTEGER NOT NULL, token_digest BLOB NOT NULL, bytes INTEGER NOT NULL, token BLOB NOT NULL) STRICT;
    CREATE INDEX parked_share ON parked (bundle, environment, type, bytes);
    CREATE TABLE quarantine (id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE,
      first_received_at INTEGER NOT NULL, last_received_at INTEGER NOT NULL, deliveries INTEGER NOT NULL,
      remote_address TEXT NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL, body_bytes INTEGER NOT NULL,
      bytes INTEGER NOT NULL, excerpt BLOB NOT NULL) STRICT;
    CREATE INDEX quarantine_age ON quarantine (last_received_at, id, bytes);
    """
  ]

  static var version: Int64 { Int64(migrations.count) }

  /// Version of the tables in the file; 0 where it has none yet.
  static func version(of sqlite: SQLiteConnection) throws(SQLiteError) -> Int64 {
    try sqlite.row("PRAGMA user_version") { $0.integer(0) } ?? 0
  }

  /// Brings the tables to the newest version, each step in a transaction of its own.
  static func migrate(_ sqlite: SQLiteConnection) throws(ReceiverStateError) {
    let found: Int64
    do throws(SQLiteError) { found = try version(of: sqlite) } catch { throw ReceiverStateError(error) }
    guard found <= version else { throw .newer(path: sqlite.path, found: found, supported: version) }
    for step in Int(found)..<migrations.count {
      try sqlite.transaction(immediate: true, failure: ReceiverStateError.init) {
        () throws(ReceiverStateError) -> Void in
        do throws(SQLiteError) {
          try sqlite.execute(migrations[step])
          try sqlite.execute("PRAGMA user_version = \(step + 1)")
        } catch { throw ReceiverStateError(error) }
      }
    }
  }
}

extension ReceiverStateError {
  init(_ error: SQLiteError) {
    self =
      error.isDamage || error.isForeign
      ? .damaged(path: error.path, reason: error.message) : .unreachable(path: error.path, reason: error.description)
  }
}

import SQLite

extension LogOpenError {
  /// What SQLite says of a log's file, in the words of whoever looks after it.
  init(_ error: SQLiteError, _ files: LogFiles) {
    self =
      if let damage = LogReadError(damage: error) {
        .damaged(path: files.events, damage)
      } else {
        .unreachable("\(LogFault(error, .look(at: files)))")
      }
  }

  /// Of a database of another kind: damage where the bell remembers that a log was here.
  init(noLogAt files: LogFiles) {
    self =
      if let bell = Bell.reading(at: files.bell) {
        .damaged(path: files.events, .lost(from: Position(1), through: bell.position))
      } else {
        .notALog(path: files.events)
      }
  }
}

extension LogReadError {
  /// nil where SQLite does not say that the file itself is at fault. A file that is no database at all was one; and where a
  /// table or column that a statement of ours names is missing, the tables are no longer what they were.
  init?(damage error: SQLiteError) {
    let isAnotherSchema =
      error.primaryCode == 1
      && ["no such table", "no such column", "no such index", "malformed database schema"].contains {
        error.message.contains($0)
      }
    guard error.isDamage || error.isForeign || isAnotherSchema else { return nil }
    self = .malformed(error.message)
  }

  init(_ error: SQLiteError, _ files: LogFiles) {
    self = Self(damage: error) ?? .unreadable("\(LogFault(error, .look(at: files)))")
  }
}

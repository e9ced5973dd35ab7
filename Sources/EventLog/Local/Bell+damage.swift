import SQLite

extension LogPlace {
  /// nil where a log holds at least what the bell remembers; of whichever format, as all have positions and a chain.
  func damage(in log: SQLiteConnection) throws(SQLiteError) -> LogReadError? {
    let head = Position(try log.row("SELECT coalesce(max(position), 0) FROM events") { $0.integer(0) } ?? 0)
    if position > head { return .lost(from: head.next, through: position) }
    let found = try log.row("SELECT chain FROM events WHERE position = ?", [.integer(position.value)]) { $0.bytes(0) }
    return found == chain ? nil : .otherThanBell(position)
  }
}

extension LogConnection {
  /// nil where the log holds at least what the bell remembers.
  func damage(against bell: LogPlace) throws(SQLiteError) -> LogReadError? { try bell.damage(in: sqlite) }

  /// A log to be read as a whole; one that lost its end is refused.
  static func whole(_ files: LogFiles) throws(LogOpenError) -> LogConnection {
    // The bell first: what it remembers must be in any log read after it.
    let bell = Bell.reading(at: files.bell)
    let connection = try LogConnection(files, mode: .readOnly)
    let damage: LogReadError?
    do throws(SQLiteError) { damage = try bell?.damage(in: connection.sqlite) } catch {
      throw LogOpenError(error, files)
    }
    if let damage { throw .damaged(path: files.events, damage) }
    return connection
  }
}

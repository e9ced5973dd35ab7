import SQLite
import Service

/// What a log needs from outside that is not steady.
public struct LogParts: Sendable {
  /// For `recorded_at` and the log's own birth.
  public var clock: @Sendable () -> Int64
  /// That many random bytes: salts, and the secret of a new log.
  public var randomBytes: @Sendable (Int) -> [UInt8]
  /// The id of a new log: a UUID, lower case.
  public var newLogID: @Sendable () -> String
  /// Told how writing goes; nil where nobody asks.
  public var metrics: LogMetrics?

  public init(
    clock: @escaping @Sendable () -> Int64, randomBytes: @escaping @Sendable (Int) -> [UInt8],
    newLogID: @escaping @Sendable () -> String, metrics: LogMetrics? = nil
  ) {
    self.clock = clock
    self.randomBytes = randomBytes
    self.newLogID = newLogID
    self.metrics = metrics
  }
}

/// Makes the file of a log where there is none. Called under the gate.
enum LogCreation {
  /// - Parameter bell: where it remembers events, a log was here: nothing is put in its place, and whoever restores it
  ///   finds the place free.
  static func createIfAbsent(
    _ files: LogFiles, parts: LogParts, bell: LogPlace?, _ turn: borrowing Gate.Turn
  ) throws(LogOpenError) {
    if let objection = LogSchema.objection(toSQLite: SQLiteLibrary.version) { throw objection }
    if (Files.size(files.events) ?? 0) == 0 {
      if let bell, bell.position > .start {
        throw .damaged(path: files.events, .lost(from: Position(1), through: bell.position))
      }
      if let remains = try remains(of: files) { throw .gone(path: files.events, remains: remains) }
    }
    do throws(SQLiteError) {
      let sqlite = try SQLiteConnection(path: files.events, mode: .create)
      sqlite.ownCheckpoints()
      let isEmpty = try sqlite.row("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } == 0
      guard isEmpty, try sqlite.row("PRAGMA user_version", [], { $0.integer(0) }) == 0 else { return }
      try sqlite.execute(LogSchema.pragmas)
      try sqlite.execute(LogSchema.writerPragmas)
      // One transaction: a process that is killed here leaves an empty file, which the next one fills.
      try sqlite.transaction(immediate: true, failure: { $0 }) { () throws(SQLiteError) -> Void in
        try sqlite.createLog(
          LogIdentity(
            id: parts.newLogID(), secret: parts.randomBytes(32), format: LogSchema.format, createdAt: parts.clock()))
      }
    } catch { throw LogOpenError(error, files) }
  }

  /// What lies there of a log that was here: SQLite would take its write-ahead log for a leftover and throw it away.
  private static func remains(of files: LogFiles) throws(LogOpenError) -> String? {
    if (Files.size(files.writeAhead) ?? 0) > 0 { return files.writeAhead }
    let names: [String]
    // What cannot be looked at may hold anything.
    do throws(FileError) { names = try Files.names(in: files.folder) } catch {
      throw .unreachable("\(LogFault(error, .look(at: files)))")
    }
    return names.filter(LogFiles.standsBesideALog).min().map { "\(files.folder)/\($0)" }
  }
}

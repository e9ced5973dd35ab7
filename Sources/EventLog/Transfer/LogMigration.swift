import SQLite
import Service

/// Brings a log of an older format to the newest, with the services stopped: on a copy, which takes the log's place
/// when it is proved. Killed at any moment, it leaves the old log or the new one.
public struct LogMigration {
  /// From one format to the next.
  struct Step: Sendable {
    var from: Int64
    var to: Int64
    /// For people: what changes.
    var what: String
    /// Changes the copy; in one transaction with the number of the format.
    var run: @Sendable (SQLiteConnection) throws(SQLiteError) -> Void
  }

  /// What was found, and what it is now.
  public struct Result: Sendable, Equatable {
    public var found: Int64
    public var now: Int64
    /// What was changed, step by step; empty where nothing was to be done.
    public var steps: [String]
  }

  private let folder: String
  private let steps: [Step]
  private let newest: Int64
  private let prove: (_ folder: String) throws(TransferError) -> Void

  /// Of this release: format 1 is the only one there ever was.
  public init(of folder: String) {
    self.init(of: folder, steps: [], newest: LogSchema.format) { (folder: String) throws(TransferError) -> Void in
      do throws(LogVerifier.Failure) { _ = try LogVerifier(folder: folder).verify() } catch { throw .damaged(error) }
    }
  }

  init(
    of folder: String, steps: [Step], newest: Int64, prove: @escaping (String) throws(TransferError) -> Void
  ) {
    self.folder = folder
    self.steps = steps
    self.newest = newest
    self.prove = prove
  }

  /// Does nothing where the log is of the newest format already.
  public func run() throws(TransferError) -> Result {
    let files = LogFiles(folder: folder)
    let found = try Self.format(of: files.events)
    guard found <= newest else {
      throw .log(.newerFormat(path: files.events, found: found, supported: newest))
    }
    var path: [Step] = []
    while (path.last?.to ?? found) < newest {
      guard let step = steps.first(where: { $0.from == path.last?.to ?? found }) else {
        throw .failed("this release cannot bring format \(path.last?.to ?? found) to \(newest)")
      }
      path.append(step)
    }
    if path.isEmpty { return Result(found: found, now: found, steps: []) }
    try migrate(files, path)
    return Result(found: found, now: newest, steps: path.map(\.what))
  }

  private func migrate(_ files: LogFiles, _ path: [Step]) throws(TransferError) {
    let staging = try LogStaging(into: folder, isEmpty: false)
    defer { staging.discard() }
    try Self.empty(files)
    try LogCopy.copy(files.events, to: staging.files.events)
    // The bell goes when the new log takes its place: a loss that it alone knows of would be forgotten.
    if let damage = try staging.damage() { throw .log(.damaged(path: files.events, damage)) }
    try TransferError.sqlite { () throws(SQLiteError) -> Void in
      let sqlite = try SQLiteConnection(path: staging.files.events, mode: .readWrite)
      for step in path {
        try sqlite.transaction(immediate: true, failure: { $0 }) { () throws(SQLiteError) -> Void in
          try step.run(sqlite)
          try sqlite.execute("PRAGMA user_version=\(step.to)")
        }
      }
    }
    try prove(staging.files.folder)
    try staging.settle()
    try staging.moveLog(replacing: true)
  }

  /// Brings the old file's write-ahead log into it: the new file must not find it beside itself.
  private static func empty(_ files: LogFiles) throws(TransferError) {
    let isBusy = try TransferError.sqlite { () throws(SQLiteError) -> Bool in
      let sqlite = try SQLiteConnection(path: files.events, mode: .readWrite)
      return try sqlite.row("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) } != 0
    }
    if isBusy { throw .failed("somebody reads \(files.events), such as a shell left open: end it first") }
  }

  private static func format(of path: String) throws(TransferError) -> Int64 {
    let application, version: Int64?
    do throws(SQLiteError) {
      let sqlite = try SQLiteConnection(path: path, mode: .readOnly)
      application = try sqlite.row("PRAGMA application_id") { $0.integer(0) }
      version = try sqlite.row("PRAGMA user_version") { $0.integer(0) }
    } catch { throw Files.isThere(path) ? TransferError(error) : .log(.absent(path: path)) }
    guard application == LogSchema.applicationID, let version else { throw .log(.notALog(path: path)) }
    return version
  }
}

import EventLog
import SQLite
import Service

/// The connection that writes the state. Whatever it commits under `durably` is on disk when that
/// returns.
///
/// `@unchecked Sendable`: made by the thread that starts the receiver, then touched only by the
/// state's own thread.
final class StateConnection: @unchecked Sendable {
  private static let checkpointPages = 1_000

  let sqlite: SQLiteConnection
  private let path: String
  private let file: FileIdentity?
  private var pagesAtLastCheckpoint = 0
  private var isDurable = true

  /// Opens or makes the file and brings its tables to the newest version; to be called inside the
  /// gate.
  init(path: String) throws(ReceiverStateError) {
    self.path = path
    do throws(SQLiteError) {
      sqlite = try SQLiteConnection(path: path, mode: .create)
      sqlite.ownCheckpoints()
      try sqlite.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;")
    } catch { throw ReceiverStateError(error) }
    // A commit that a killed process left unsynced, or whose sync failed, is read here and on no disk: a notification
    // that comes again would be answered as parked already.
    do throws(FileError) { try WriteAheadLog.settle(beside: path) } catch {
      throw .unreachable(path: path, reason: error.reason)
    }
    try ReceiverStateSchema.migrate(sqlite)
    file = FileIdentity(path: path)
  }

  /// Whether the file at the path is still the one that is open here: what is written into a
  /// removed file is lost.
  var isCurrent: Bool { file != nil && FileIdentity(path: path) == file }

  /// Runs `body` in one transaction, on disk when this returns.
  func durably<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(ReceiverStateError) -> Result {
    try write(durable: true, body)
  }

  /// Runs `body` in one transaction that a power cut may lose: for notes, which are not worth a
  /// sync.
  func casually<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(ReceiverStateError) -> Result {
    try write(durable: false, body)
  }

  private func write<Result>(
    durable: Bool, _ body: () throws(SQLiteError) -> Result
  ) throws(ReceiverStateError) -> Result {
    do throws(SQLiteError) {
      if durable != isDurable { try sqlite.execute("PRAGMA synchronous=\(durable ? "FULL" : "NORMAL")") }
      isDurable = durable
      let result = try sqlite.transaction(immediate: true, failure: { $0 }, body)
      try checkpoint()
      return result
    } catch { throw ReceiverStateError(error) }
  }

  private func checkpoint() throws(SQLiteError) {
    let pages = sqlite.walPages
    // The write-ahead log began anew.
    if pages < pagesAtLastCheckpoint { pagesAtLastCheckpoint = 0 }
    guard pages - pagesAtLastCheckpoint >= Self.checkpointPages else { return }
    pagesAtLastCheckpoint = pages
    _ = try sqlite.checkpointPassively()
  }
}

import Glibc
import SQLite
import Service

/// One consistent copy of a database, beside whoever writes to it.
///
/// SQLite reads it in one transaction. A backup in steps would begin again with each commit of another process, and
/// beside a writer it would never end. The copy is one file without a write-ahead log; pages are as the data needs
/// them, application id, format and page size as they were.
enum LogCopy {
  /// Permissions of a copy: it holds what customers did, and the log's secret.
  static let mode: UInt32 = 0o600

  /// Copies to a path where nothing stands; on disk when this returns.
  static func copy(_ source: String, to path: String) throws(TransferError) {
    // SQLite fills an empty file: so it never has other permissions.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw errno == EEXIST ? .occupied(path: path) : .file(FileError(path: path, doing: "open"))
    }
    close(descriptor)
    do throws(SQLiteError) {
      let sqlite = try SQLiteConnection(path: source, mode: .readOnly)
      try sqlite.run("VACUUM INTO ?", [.text(path)])
    } catch {
      unlink(path)
      // All that SQLite writes for this is the copy.
      throw TransferError(error, writing: error.isFull ? path : source)
    }
    do throws(FileError) { try Files.sync(path) } catch {
      unlink(path)
      throw .file(error)
    }
  }

  /// Copies a folder's log.
  /// - Returns: whose copy it is, and where it ends.
  static func copyLog(in folder: String, to path: String) throws(TransferError) -> (log: LogIdentity.ID, LogPlace) {
    let files = LogFiles(folder: folder)
    // Whether it is a log at all, of a format that is known here, and not one that lost its end.
    let connection: LogConnection
    do throws(LogOpenError) { connection = try LogConnection.whole(files) } catch { throw .log(error) }
    // A copy that no restore takes is none. What somebody added can be dropped in the copy too.
    let objection = try TransferError.sqlite { () throws(SQLiteError) in try LogSchema.objection(to: connection.sqlite)
    }
    if case .altered(let what) = objection { throw .log(.damaged(path: files.events, .malformed(what))) }
    try copy(files.events, to: path)
    return try end(of: path)
  }

  private static func end(of path: String) throws(TransferError) -> (log: LogIdentity.ID, LogPlace) {
    let found = try TransferError.sqlite { () throws(SQLiteError) -> (LogIdentity, LogPlace?)? in
      let sqlite = try SQLiteConnection(path: path, mode: .readOnly)
      let head = try sqlite.newestPlace()
      return try sqlite.logIdentity().map { ($0, head) }
    }
    guard let (identity, head) = found else { throw .log(.notALog(path: path)) }
    return (identity.id, head ?? LogPlace(position: .start, chain: identity.genesis))
  }
}

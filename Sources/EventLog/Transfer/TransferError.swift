import Glibc
import SQLite
public import Service

/// Why a log was not copied, exported, imported, restored or migrated. What was there before is as it was.
public enum TransferError: Error, Equatable, Sendable, CustomStringConvertible {
  case log(LogOpenError)
  case file(FileError)
  /// SQLite could not do it.
  case failed(String)
  /// Something stands where the result would go; nothing is ever written over.
  case occupied(path: String)
  /// Another command is making something there.
  case beingMade(path: String)
  /// A database beside the log, and no part of it, is damaged.
  case damagedState(path: String, String)
  /// The copy that was made is not whole, as the log itself is not; it is gone again.
  case unwhole(folder: String, LogVerifier.Failure)
  /// The folder in which the result was to be made is not there.
  case noPlace(folder: String)
  /// The result would lie in the folder that it is a copy of.
  case insideData(path: String, folder: String)
  /// The folder holds a log already.
  case holdsLog(folder: String, file: String)
  /// The log that stood in the folder went further than what is to take its place, or held something else.
  case older(folder: String, LogReadError)
  /// A service, or another command, may write to the log of that folder.
  case inUse(folder: String)
  /// What was read is not whole.
  case damaged(LogVerifier.Failure)
  /// The copy to be restored is not the one that its manifest tells of.
  case otherBackup(path: String, why: String)
  /// What was to be restored is no whole copy of a log.
  case unusable(path: String, String)
  /// A state in a backup is damaged; the log beside it may be whole.
  case unusableState(path: String, String)
  /// What was to be restored is not there.
  case noBackup(path: String)
  /// A copy of a release that writes another form or format.
  case newer(String)
  /// A line of a lossless copy.
  case line(Int, String)
  /// Whoever was to take the result could not.
  case notTaken(String)

  public var description: String {
    switch self {
    case .log(let error): error.description
    case .file(let error) where error.code == ENOSPC || error.code == EDQUOT:
      "the disk that holds \(error.path) is full: make room there, or name another place; what was there before is as it was"
    case .file(let error): error.description
    case .failed(let why): why
    case .occupied(let path):
      "\(path) is there already, and nothing is written over: name another place, or move it away"
    case .beingMade(let path):
      "another backup writes \(path) at the moment: wait for it, or name another place"
    case .damagedState(let path, let damage):
      "\(path) is damaged (\(Self.cause(damage))), which is no part of the log: stop its service, move the file "
        + "away, start the service, which makes a new one, and back up again"
    case .unwhole(let folder, let failure):
      "the log of \(folder) is not whole, so this is no backup, and it was removed; keep the older ones: "
        + "\(failure)"
    case .noPlace(let folder):
      "there is no folder \(folder): make it, or mount the disk that it is on"
    case .insideData(let path, let folder):
      "\(path) would lie in the data folder \(folder), and be lost with it: name a place elsewhere, best on another disk"
    case .holdsLog(let folder, let file):
      "\(file) is there already, and nothing is written over: stop the services and move the folder away, "
        + "mv \(folder) \(folder).old, or name another one"
    case .older(let folder, let damage):
      "the copy does not hold all of the log that stood in \(folder) (\(Self.missing(damage))): nobody knows what was sent "
        + "after it; import it into a new folder and put it here with refundlog restore NEW --data \(folder), which says "
        + "so in the log, or move all of \(folder) away"
    case .inUse(let folder):
      "a service is running over \(folder), or another command writes to it: stop the services first"
    case .damaged(let failure): failure.description
    case .otherBackup(let path, let why): "\(path) is not what its manifest says: \(why)"
    case .unusable(let path, let why):
      "\(path) cannot be restored, it is damaged or no copy of a log (\(Self.cause(why))): nothing was changed; name "
        + "another backup"
    case .unusableState(let path, let why):
      "\(path) is damaged (\(Self.cause(why))), which is no part of the log: name another backup, or restore the log of "
        + "this one alone, refundlog restore \(Files.parent(of: path))/events.sqlite, and what that state held is lost"
    case .noBackup(let path):
      "there is no backup at \(path): name the folder that refundlog backup made, or a copy of events.sqlite"
    case .newer(let why): "\(why): use the newer release that wrote it"
    case .line(let number, let why): "line \(number): \(why)"
    case .notTaken(let why): why
    }
  }
}

extension TransferError {
  /// What is wrong, without what to do about it where it is a log's own file.
  private static func cause(_ words: String) -> String {
    words.firstRange(of: ": stop all services").map { String(words[..<$0.lowerBound]) } ?? words
  }

  private static func missing(_ damage: LogReadError) -> String {
    switch damage {
    case .lost(let from, let through): "positions \(from) to \(through) are missing"
    case .altered(let position): "position \(position) holds something else"
    default: damage.description
    }
  }

  /// - Parameter path: of the file that was written; nil for the one that was open.
  init(_ error: SQLiteError, writing path: String? = nil) {
    let path = path ?? error.path
    self =
      if error.isFull {
        .file(FileError(path: path, doing: "write", reason: "no room", code: ENOSPC))
      } else if let damage = LogReadError(damage: error) {
        .log(.damaged(path: path, damage))
      } else {
        .failed("\(error)")
      }
  }

  /// Runs what may fail in SQLite.
  static func sqlite<Result>(_ body: () throws(SQLiteError) -> Result) throws(TransferError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw TransferError(error) }
  }

  /// Runs what may fail at a file.
  static func file<Result>(_ body: () throws(FileError) -> Result) throws(TransferError) -> Result {
    do throws(FileError) { return try body() } catch { throw .file(error) }
  }
}

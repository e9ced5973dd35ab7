import Glibc
import SQLite
import Service

/// A folder inside a data folder in which a log is made whole before it takes its place there.
///
/// What a killed command left is removed by the next one: the data folder is held alone meanwhile, so nobody else is at
/// it.
final class LogStaging {
  let target: LogFiles
  let files: LogFiles
  private let hold: LogHold
  private var isOver = false

  /// Holds the data folder, which is made where it is absent.
  /// - Parameter isEmpty: whether no log may be there.
  init(into folder: String, isEmpty: Bool) throws(TransferError) {
    target = LogFiles(folder: folder)
    files = LogFiles(folder: folder + "/.incoming")
    try TransferError.file { () throws(FileError) in try Files.makeLastFolder(folder, mode: 0o770) }
    hold = try LogHold.alone(folder: folder)
    // Also where nothing comes of it: a lock of root's would keep the service out.
    try TransferError.file { () throws(FileError) in
      try Files.own(LogHold.path(folder), as: folder, mode: 0o660)
    }
    if isEmpty {
      // A write-ahead log alone would be taken for the new file's.
      for file in [target.events, target.events + "-wal", target.events + "-shm"] where access(file, F_OK) == 0 {
        throw .holdsLog(folder: folder, file: file)
      }
    }
    let files = files
    try TransferError.file { () throws(FileError) -> Void in
      if access(files.folder, F_OK) == 0 { try Files.removeFolder(files.folder) }
      guard mkdir(files.folder, 0o700) == 0 else { throw FileError(path: files.folder, doing: "make the folder") }
    }
  }

  deinit { discard() }

  /// Leaves nothing behind, and the data folder to others.
  func discard() {
    if isOver { return }
    isOver = true
    try? Files.removeFolder(files.folder)
    hold.release()
  }

  /// What the bell of the data folder remembers and the log made here does not hold; nil where it holds all.
  func damage() throws(TransferError) -> LogReadError? {
    guard let bell = Bell.reading(at: target.bell) else { return nil }
    return try TransferError.sqlite { () throws(SQLiteError) -> LogReadError? in
      try bell.damage(in: try SQLiteConnection(path: files.events, mode: .readOnly))
    }
  }

  /// Brings all of the log into its one file: no write-ahead log is to stand beside it.
  func settle() throws(TransferError) {
    let mode = try TransferError.sqlite { () throws(SQLiteError) -> String? in
      let sqlite = try SQLiteConnection(path: files.events, mode: .readWrite)
      // Leaving the write-ahead log is possible only for the last connection, and removes it.
      return try sqlite.row("PRAGMA journal_mode=DELETE") { $0.text(0) }
    }
    guard mode == "delete", access(files.events + "-wal", F_OK) != 0 else {
      throw .failed("\(files.events): the write-ahead log is still in use")
    }
    try TransferError.file { () throws(FileError) in try Files.sync(files.events) }
  }

  /// Moves one file into the data folder, with the folder's owner; on disk when this returns.
  func move(_ name: String) throws(TransferError) {
    try TransferError.file { () throws(FileError) -> Void in
      let path = "\(files.folder)/\(name)"
      try Files.own(path, as: target.folder, mode: 0o640)
      try Files.move(path, to: "\(target.folder)/\(name)")
    }
  }

  /// Puts the log in its place: the last step, after which it counts.
  /// - Parameter isReplacing: a log that is there, whose write-ahead log is empty.
  func moveLog(replacing isReplacing: Bool = false) throws(TransferError) {
    // The bell remembers how far the other log went.
    unlink(target.bell)
    try move("events.sqlite")
    if isReplacing { for end in ["-wal", "-shm"] { unlink(target.events + end) } }
  }
}

import Glibc
import SQLite
import Service

/// Why the disk did not do what a local log asked of it, in one sentence with what to do.
enum LogFault: Error, Equatable, CustomStringConvertible {
  /// A file or folder that this process's user may not use.
  case denied(path: String, owner: UInt32, user: UInt32)
  /// What must be a folder, and is none.
  case noFolder(path: String)
  /// What must be a file, and is a folder.
  case folderForFile(path: String)
  case readOnlyDisk(folder: String)
  case fullDisk(folder: String)
  /// Somebody holds SQLite's own lock, though writers of ours take turns at the gate.
  case busy(path: String)
  case failedSync(path: String)
  case damage(LogReadError)
  case other(String)

  /// What is to be seen around the file, beside what failed: SQLite and the system tell the same code for many causes.
  struct Surroundings: Equatable {
    var folder: String
    /// Effective user of this process.
    var user: UInt32
    var isReadOnlyDisk = false
    /// The first of folder and files that this process may not use, and whose it is.
    var denied: (path: String, owner: UInt32)?
    /// The folder itself, where something else is in its place.
    var noFolder: String?
    /// The first of the files in whose place a folder is.
    var folderForFile: String?

    static func == (left: Self, right: Self) -> Bool {
      left.folder == right.folder && left.user == right.user && left.isReadOnlyDisk == right.isReadOnlyDisk
        && left.denied?.path == right.denied?.path && left.denied?.owner == right.denied?.owner
        && left.noFolder == right.noFolder && left.folderForFile == right.folderForFile
    }
  }

  init(_ error: SQLiteError, _ surroundings: @autoclosure () -> Surroundings) {
    // SQLITE_IOERR_SHMSIZE: the index beside the write-ahead log found no room to grow.
    if error.isFull || error.code == 10 | 19 << 8 {
      self = .fullDisk(folder: surroundings().folder)
    } else if error.isBusy {
      self = .busy(path: error.path)
    } else if error.isFailedSync {
      self = .failedSync(path: error.path)
    } else if let damage = LogReadError(damage: error) {
      self = .damage(damage)
    } else if error.isRefusal {
      self = Self.refusal(surroundings(), otherwise: "\(error)")
    } else {
      self = .other("\(error)")
    }
  }

  init(_ error: FileError, _ surroundings: @autoclosure () -> Surroundings) {
    switch error.code {
    case ENOSPC, EDQUOT: self = .fullDisk(folder: surroundings().folder)
    case EACCES, EPERM, EROFS, ENOTDIR, EISDIR: self = Self.refusal(surroundings(), otherwise: "\(error)")
    case EIO: self = .failedSync(path: error.path)
    default: self = .other("\(error)")
    }
  }

  private static func refusal(_ surroundings: Surroundings, otherwise: String) -> LogFault {
    // Rights do not matter where it is another thing, nor where nobody can write.
    if let path = surroundings.noFolder { return .noFolder(path: path) }
    if let path = surroundings.folderForFile { return .folderForFile(path: path) }
    if surroundings.isReadOnlyDisk { return .readOnlyDisk(folder: surroundings.folder) }
    guard let denied = surroundings.denied else { return .other(otherwise) }
    return .denied(path: denied.path, owner: denied.owner, user: surroundings.user)
  }

  var description: String {
    switch self {
    case .denied(let path, let owner, let user):
      "\(path) belongs to user \(owner), and this program runs as user \(user), who may not use it: run it as user "
        + "\(owner), or give the folder and all files in it to user \(user)"
    case .noFolder(let path):
      "\(path) is no folder: name the data folder of the services, or move away what is in its place"
    case .folderForFile(let path):
      "\(path) is a folder, where the log has a file: find out who made it, and move it away"
    case .readOnlyDisk(let folder):
      "the disk that holds \(folder) can only be read: look for its errors in the kernel's messages, then mount it for "
        + "writing"
    case .fullDisk(let folder):
      "the disk that holds \(folder) is full: make room, and writing goes on by itself; nothing that was acknowledged "
        + "is lost"
    case .busy(let path):
      "another program holds \(path) locked past the gate that writers share: find it with fuser \(path) and end it"
    case .failedSync(let path):
      "the disk failed while \(path) was written: look for its errors in the kernel's messages and replace it; what "
        + "was acknowledged before is not touched"
    case .damage(let damage): damage.description
    case .other(let what): what
    }
  }
}

extension LogFault.Surroundings {
  /// Looks at the folder of a log and all its files.
  static func look(at files: LogFiles) -> Self {
    var result = Self(folder: files.folder, user: geteuid())
    // The folder, or the nearest above it where it could not be made.
    var existing = files.folder
    while access(existing, F_OK) != 0, existing != "/", existing != "." { existing = Files.parent(of: existing) }
    result.isReadOnlyDisk = Files.isOnReadOnlyDisk(existing)
    if !Files.isFolder(existing) { result.noFolder = existing }
    result.folderForFile = files.all.first { Files.isFolder($0) }
    let paths = [(existing, R_OK | W_OK | X_OK)] + files.all.map { ($0, R_OK | W_OK) }
    for (path, rights) in paths {
      var status = stat()
      guard stat(path, &status) == 0, faccessat(AT_FDCWD, path, rights, AT_EACCESS) != 0 else { continue }
      result.denied = (path, status.st_uid)
      break
    }
    return result
  }
}

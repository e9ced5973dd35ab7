import Glibc
import Service

/// A lock over a data folder. Whoever may write to the log holds it with the others; whoever puts another file in the
/// log's place holds it alone, so that no service goes on writing into a file that is gone. Goes with its process.
final class LogHold: Sendable {
  enum Kind { case shared, alone }

  /// Beside the gate's locks and named apart from them: who moves `events.*` away leaves it in place.
  static func path(_ folder: String) -> String { folder + "/log.writers" }

  private let path: String
  private let file: Monitor<FileHandle?>

  /// - Throws: also where the lock cannot be had at once; `isHeldByOthers` tells that from the rest.
  init(folder: String, _ kind: Kind) throws(FileError) {
    path = Self.path(folder)
    file = Monitor(try Self.locked(path, kind))
  }

  private static func locked(_ path: String, _ kind: Kind) throws(FileError) -> FileHandle {
    let file = try FileHandle(path: path)
    while flock(file.descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      if errno != EINTR { throw FileError(path: path, doing: Self.lock) }
    }
    return file
  }

  private static let lock = "lock"

  static func isHeldByOthers(_ error: FileError) -> Bool { error.doing == lock }

  /// Whether the folder is still the one that is held: another one at its path may be anybody's.
  var isInPlace: Bool {
    file.withLock { file in
      guard let file else { return false }
      return FileIdentity(descriptor: file.descriptor) == FileIdentity(path: path)
    }
  }

  /// Takes a share in the folder that is at the path now, and lets the one go that was there.
  /// - Throws: as at the start; what was held is held still.
  func move() throws(FileError) {
    let found = try Self.locked(path, .shared)
    release()
    file.change { $0 = found }
  }

  /// Let go by name: closing the file alone would leave the lock with a child that was just forked and still has it open.
  func release() {
    file.change { file in
      if let file { flock(file.descriptor, LOCK_UN) }
      file = nil
    }
  }

  deinit { release() }
}

extension LogHold {
  /// For who replaces the log's file.
  static func alone(folder: String) throws(TransferError) -> LogHold {
    do throws(FileError) { return try LogHold(folder: folder, .alone) } catch {
      throw isHeldByOthers(error) ? .inUse(folder: folder) : .file(error)
    }
  }
}

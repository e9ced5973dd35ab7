import Glibc
import Service

/// A lock on a folder itself; goes with its owner.
final class FolderLock {
  private let descriptor: Int32

  /// - Throws: where another process has it, which `isHeldByOthers` tells from the rest.
  init(_ path: String) throws(FileError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw FileError(path: path, doing: "open") }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
    // Over a network some file systems lock files alone.
    throw errno == EWOULDBLOCK
      ? FileError(path: path, doing: "lock")
      : FileError(
        path: path, doing: "lock", reason: "its file system has no locks on folders: name a place on another one",
        code: errno)
  }

  static func isHeldByOthers(_ error: FileError) -> Bool { error.code == EWOULDBLOCK }

  deinit {
    guard descriptor >= 0 else { return }
    // By name, as in `LogHold`.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

import Glibc

/// A lock on a folder itself; goes with its owner.
final class FolderLock {
  private let descriptor: Int32

  /// nil where another process has it.
  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { return nil }
    // What is made by then is taken down by `deinit`.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return nil }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // By name, as in `LogHold`.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

import Glibc

/// A lock on a file that one process at a time holds. Goes with its process, however that ends.
final class FileLock {
  private let path: String
  private var descriptor: Int32
  private var isHeld = false

  /// - Parameter path: of a file for nothing else, made where it is absent; nil where it cannot be opened for writing.
  init?(_ path: String) {
    self.path = path
    descriptor = Self.opened(path)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Takes the lock where it is free; once held it stays so, unless somebody removed the file: another would lock a new
  /// one then. Waits for nobody.
  func hold() -> Bool {
    if FilePlace(path) != FilePlace(descriptor: descriptor) {
      let again = Self.opened(path)
      if again < 0 { return false }
      close(descriptor)
      descriptor = again
      isHeld = false
    }
    if !isHeld { isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
    return isHeld
  }

  func release() {
    flock(descriptor, LOCK_UN)
    isHeld = false
  }

  private static func opened(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    if descriptor >= 0, let slash = path.lastIndex(of: "/") {
      ProjectionFiles.giveToOwner(path, of: String(path[..<slash]))
    }
    return descriptor
  }
}

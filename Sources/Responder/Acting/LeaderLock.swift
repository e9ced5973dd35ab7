import Glibc

/// Held by the one responder of a log that acts; the others follow and serve. Goes with its process.
final class LeaderLock {
  private let path: String
  private var descriptor: Int32
  private var isHeld = false

  /// - Parameter folder: of the log.
  init?(folder: String) {
    path = folder + "/responder.leader"
    descriptor = Self.opened(path)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Takes the lock where it is free; once held it stays so, unless somebody removed the file: another responder would
  /// lock a new one then.
  func hold() -> Bool {
    if !isInPlace {
      let again = Self.opened(path)
      if again < 0 { return false }
      close(descriptor)
      descriptor = again
      isHeld = false
    }
    if !isHeld { isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
    return isHeld
  }

  private static func opened(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o660) }

  private var isInPlace: Bool {
    var held = stat()
    var found = stat()
    return fstat(descriptor, &held) == 0 && stat(path, &found) == 0 && held.st_ino == found.st_ino
      && held.st_dev == found.st_dev
  }
}

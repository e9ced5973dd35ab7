import Glibc

/// Held by the one responder of a log that acts; the others follow and serve. Goes with its process.
final class LeaderLock {
  private let descriptor: Int32
  private var isHeld = false

  /// - Parameter folder: of the log.
  init?(folder: String) {
    descriptor = open(folder + "/responder.leader", O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Takes the lock where it is free; once held it stays so.
  func hold() -> Bool {
    if !isHeld { isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
    return isHeld
  }
}

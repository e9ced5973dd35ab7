import Glibc
import Service

/// Lets one process at a time write the state: two receivers may run side by side over one folder,
/// and SQLite before 3.51.3 can damage a write-ahead log that two connections write and checkpoint.
///
/// The lock is on a file of its own: closing any descriptor of the database would drop SQLite's own
/// locks.
///
/// `@unchecked Sendable`: made by the thread that starts the receiver, then touched only by the state's own thread.
final class StateGate: @unchecked Sendable {
  private static let waitMilliseconds: Int64 = 3_000
  private static let stepMicroseconds: UInt32 = 2_000

  private let path: String
  private var descriptor: Int32

  init(path: String) throws(ReceiverStateError) {
    self.path = path
    descriptor = try Self.opened(path)
  }

  private static func opened(_ path: String) throws(ReceiverStateError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    if descriptor < 0 {
      throw .unreachable(path: path, reason: FileError(path: path, doing: "open").reason)
    }
    return descriptor
  }

  deinit { close(descriptor) }

  /// Runs `body` while no other process writes; blocks for at most three seconds before.
  func pass<Result>(_ body: () throws(ReceiverStateError) -> Result) throws(ReceiverStateError) -> Result {
    // Another folder stands here now: its state is written under its own lock.
    if FileIdentity(descriptor: descriptor) != FileIdentity(path: path) {
      let again = try Self.opened(path)
      close(descriptor)
      descriptor = again
    }
    let deadline = MonotonicClock.milliseconds() + Self.waitMilliseconds
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard MonotonicClock.milliseconds() < deadline else {
        throw .unreachable(path: path, reason: "another process has held this lock for 3 s: is a receiver frozen?")
      }
      usleep(Self.stepMicroseconds)
    }
    defer { flock(descriptor, LOCK_UN) }
    return try body()
  }
}

import Glibc
import Service

/// Lets one process at a time write, in the order of arrival: two locks, of which the first is the queue and the
/// second the turn. A single `flock` starves the others, as its holder takes it again before they wake.
final class Gate: Sendable {
  private let next: FileHandle
  private let gate: FileHandle

  init(_ files: LogFiles) throws(FileError) {
    next = try FileHandle(path: files.next)
    gate = try FileHandle(path: files.gate)
  }

  /// Runs `body` while no other process writes or checkpoints. Blocks.
  func pass<Result>(_ body: () -> Result) -> Result {
    lock(next)
    lock(gate)
    flock(next.descriptor, LOCK_UN)
    defer { flock(gate.descriptor, LOCK_UN) }
    return body()
  }

  private func lock(_ file: FileHandle) {
    while flock(file.descriptor, LOCK_EX) != 0 {
      precondition(errno == EINTR, "flock on an open file fails only when interrupted")
    }
  }
}

import Glibc

/// The gate of a log, by its two files: take the first, take the second, let the first go, work, let the second go.
final class GateByHand {
  private let next: Int32
  private let gate: Int32

  init(folder: String) throws(LoadError) {
    next = open(folder + "/events.next", O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    gate = open(folder + "/events.gate", O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    guard next >= 0, gate >= 0 else { throw LoadError("the gate of \(folder) cannot be opened") }
  }

  deinit {
    close(next)
    close(gate)
  }

  func pass(_ body: () -> Void) {
    while flock(next, LOCK_EX) != 0 {}
    while flock(gate, LOCK_EX) != 0 {}
    flock(next, LOCK_UN)
    body()
    flock(gate, LOCK_UN)
  }
}

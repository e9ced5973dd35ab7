import Glibc
import Service
import Synchronization

/// Lets one process at a time write, in the order of arrival: two locks, of which the first is the queue and the
/// second the turn. A single `flock` starves the others, as its holder takes it again before they wake.
final class Gate: Sendable {
  /// What only the holder of the gate has in hand: who asks for it cannot be called past the gate.
  struct Turn: ~Copyable {
    /// `pass` alone makes turns. In debug builds a turn without the gate stops the process: a commit beside
    /// another's checkpoint is what SQLite before 3.51.3 may destroy a file with.
    init(of gate: Gate) { assert(gate.isHeld, "a turn without the gate") }
  }

  private let path: String
  private let locks: Monitor<Locks>
  private let isTaken = Atomic(false)
  /// Instant of `MonotonicClock` since which a turn is waited for; 0 where none is.
  private let waitingSince = Atomic<Int64>(0)

  init(_ files: LogFiles) throws(FileError) {
    path = files.gate
    locks = Monitor(try Locks(files))
  }

  /// The files of a gate, opened.
  struct Locks: Sendable {
    fileprivate let next: FileHandle
    fileprivate let gate: FileHandle

    init(_ files: LogFiles) throws(FileError) {
      next = try FileHandle(path: files.next)
      gate = try FileHandle(path: files.gate)
    }
  }

  /// Whether its files are still the ones at their paths: where somebody removed them, others would take turns at new
  /// ones.
  func isInPlace(_ files: LogFiles) -> Bool {
    locks.withLock { locks in
      FileIdentity(descriptor: locks.gate.descriptor) == FileIdentity(path: files.gate)
        && FileIdentity(descriptor: locks.next.descriptor) == FileIdentity(path: files.next)
    }
  }

  /// Takes turns at other files from now on; for who takes the turns, between two of them.
  func move(to other: Locks) { locks.change { $0 = other } }

  /// Runs `body` while no other process writes or checkpoints. Blocks for as long as that takes.
  func pass<Result>(_ body: (borrowing Turn) -> Result) -> Result {
    waitingSince.store(MonotonicClock.milliseconds(), ordering: .relaxed)
    take()
    waitingSince.store(0, ordering: .relaxed)
    defer { release() }
    return body(Turn(of: self))
  }

  /// What keeps `pass` waiting for longer than turns take; nil where nothing does.
  var holdUp: String? {
    let since = waitingSince.load(ordering: .relaxed)
    let seconds = since == 0 ? 0 : (MonotonicClock.milliseconds() - since) / 1_000
    guard seconds >= 2 else { return nil }
    return
      "another process has held \(path) for over \(seconds) s: find it with fuser \(path), and end it or let it go on"
  }

  /// The same for who must not wait for ever; nil where the gate was not had in that time.
  func pass<Result>(withinMilliseconds limit: Int64, _ body: (borrowing Turn) -> Result) -> Result? {
    guard take(withinMilliseconds: limit) else { return nil }
    defer { release() }
    return body(Turn(of: self))
  }

  private enum Attempt { case waiting, taken, abandoned }

  /// flock knows no deadline: a thread waits for it, and gives back what came too late.
  private func take(withinMilliseconds limit: Int64) -> Bool {
    let attempt = Monitor(Attempt.waiting)
    _ = OwnedThread(name: "log.gate") { [self] in
      take()
      let isWanted = attempt.change { attempt in
        if attempt == .waiting { attempt = .taken }
        return attempt == .taken
      }
      if !isWanted { release() }
    }
    _ = attempt.wait(until: MonotonicClock.milliseconds() + limit) { $0 == .taken ? true : nil }
    return attempt.withLock { attempt in
      if attempt == .waiting { attempt = .abandoned }
      return attempt == .taken
    }
  }

  private func take() {
    let locks = locks.withLock { $0 }
    lock(locks.next)
    lock(locks.gate)
    flock(locks.next.descriptor, LOCK_UN)
    isTaken.store(true, ordering: .releasing)
  }

  private func release() {
    isTaken.store(false, ordering: .releasing)
    flock(locks.withLock { $0.gate.descriptor }, LOCK_UN)
  }

  private func lock(_ file: FileHandle) {
    while flock(file.descriptor, LOCK_EX) != 0 {
      precondition(errno == EINTR, "flock on an open file fails only when interrupted")
    }
  }

  /// Whether this gate was passed, and the lock is really there: nobody else gets it.
  private var isHeld: Bool {
    guard isTaken.load(ordering: .acquiring) else { return false }
    // Through the descriptor and not by path: the file may have been removed.
    let held = locks.withLock { $0.gate.descriptor }
    let other = open("/proc/self/fd/\(held)", O_RDONLY | O_CLOEXEC)
    // Nothing can be said where no descriptor is left.
    guard other >= 0 else { return true }
    defer { close(other) }
    return flock(other, LOCK_EX | LOCK_NB) != 0
  }
}

import Service

/// Whether the play is to end early: somebody pressed Ctrl-C, or the terminal has gone.
final class Interruption: Sendable {
  private let isRaisedNow = Monitor(false)

  /// One that comes by signal. To be made before any other thread or child, which inherit what is held here.
  static func bySignal() -> Interruption {
    let interruption = Interruption()
    ProcessSignals.hold()
    _ = OwnedThread(name: "signals") { [interruption] in
      ProcessSignals.waitForStop(hangUp: { interruption.raise() })
      interruption.raise()
    }
    return interruption
  }

  var isRaised: Bool { isRaisedNow.withLock { $0 } }
  func raise() { isRaisedNow.change { $0 = true } }

  /// Waits until it comes.
  /// - Parameter milliseconds: nil waits for ever.
  /// - Returns: whether it came.
  @discardableResult
  func wait(milliseconds: Int64? = nil) -> Bool {
    let deadline = milliseconds.map { MonotonicClock.milliseconds() + $0 }
    return isRaisedNow.wait(until: deadline) { $0 ? true : nil } ?? false
  }
}

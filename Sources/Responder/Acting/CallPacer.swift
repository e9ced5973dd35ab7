import Service

/// Keeps the calls of each lane apart, so that Apple's limit is never met by our own doing.
///
/// Calls start one interval after the other, without bursts. As a call may be written later than it was begun, those that
/// are begun and not written yet count too: however they bunch, no second holds more writes than the pace allows.
///
/// Times are the machine's own, also where the service's clock is set: that is how Apple counts.
final class CallPacer: Sendable {
  private struct State {
    /// When the next may begin.
    var next: Int64 = .min
    /// Begun and not written yet.
    var unwritten = 0
    /// When the last ones were written, oldest first; those within the last second count.
    var written: [Int64] = []
  }

  private static let second: Int64 = 1_000_000_000
  /// Where the next write is waited for, nobody knows when it is.
  private static let look: Int64 = 2_000_000

  private let pace: CallPace
  private let nanoseconds: @Sendable () -> Int64
  private let lanes = Monitor<[CallLane: State]>([:])

  /// - Parameter nanoseconds: a clock that only goes forward.
  init(_ pace: CallPace, nanoseconds: @escaping @Sendable () -> Int64 = MonotonicClock.nanoseconds) {
    self.pace = pace
    self.nanoseconds = nanoseconds
  }

  /// Nanoseconds until a call may begin; 0 where it may now.
  func wait(_ lane: CallLane) -> Int64 {
    let now = nanoseconds()
    let most = max(1, Int(pace.perSecond(lane)))
    return lanes.withLock { lanes in
      guard let state = lanes[lane] else { return 0 }
      if now < state.next { return state.next - now }
      let recent = state.written.drop { now - $0 >= Self.second }
      guard recent.count + state.unwritten >= most else { return 0 }
      guard state.unwritten == 0, let first = recent.first else { return Self.look }
      return first + Self.second - now
    }
  }

  /// A call is begun: it will be written, or given up.
  func begin(_ lane: CallLane) {
    let now = nanoseconds()
    let interval = Int64((Double(Self.second) / pace.perSecond(lane)).rounded(.up))
    lanes.withLock { lanes in
      lanes[lane, default: State()].next = now + interval
      lanes[lane]!.unwritten += 1
    }
  }

  /// The bytes of a call that was begun leave now.
  func written(_ lane: CallLane) {
    let now = nanoseconds()
    lanes.withLock { lanes in
      guard var state = lanes[lane] else { return }
      state.unwritten -= 1
      state.written.removeAll { now - $0 >= Self.second }
      state.written.append(now)
      lanes[lane] = state
    }
  }

  /// A call that was begun is not made.
  func givenUp(_ lane: CallLane) {
    lanes.withLock { lanes in
      guard var state = lanes[lane] else { return }
      state.unwritten -= 1
      lanes[lane] = state
    }
  }
}

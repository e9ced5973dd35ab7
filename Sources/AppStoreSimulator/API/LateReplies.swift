import Service

/// Replies that a fault makes late: kept on a thread of their own until the machine's clock has come so far.
final class LateReplies: Sendable {
  static let waitingMax = 1000

  private struct State {
    var waiting: [(due: Int64, reply: @Sendable () -> Void)] = []
    var isStopping = false
  }

  private let state: Monitor<State>
  private let thread: OwnedThread

  init() {
    let state = Monitor(State())
    self.state = state
    thread = OwnedThread(name: "late-replies") {
      while true {
        let next = state.withLock { $0.waiting.map(\.due).min() }
        let step: (@Sendable () -> Void)?? = state.wait(until: next) { state in
          if let index = state.waiting.firstIndex(where: { $0.due <= MonotonicClock.milliseconds() }) {
            return .some(state.waiting.remove(at: index).reply)
          }
          if state.isStopping { return .some(nil) }
          // Another may be due earlier now.
          return state.waiting.map(\.due).min() == next ? nil : .some({})
        }
        switch step {
        case .some(.some(let reply)): reply()
        case .some(.none): return
        case .none: continue
        }
      }
    }
  }

  /// - Returns: false when too many wait, or it is stopping; then `reply` is not called.
  func add(after milliseconds: Int64, _ reply: @escaping @Sendable () -> Void) -> Bool {
    state.change { state in
      guard !state.isStopping, state.waiting.count < Self.waitingMax else { return false }
      state.waiting.append((MonotonicClock.milliseconds() + milliseconds, reply))
      return true
    }
  }

  /// Gives every reply that waits, and ends. Further calls return at once.
  func stop() {
    state.change { state in
      state.isStopping = true
      for index in state.waiting.indices { state.waiting[index].due = 0 }
    }
    thread.join()
  }
}

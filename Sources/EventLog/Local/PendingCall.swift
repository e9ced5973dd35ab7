import Service

/// Work that waits for the writer thread, and the one answer its caller gets.
final class PendingCall: Sendable {
  enum Work: Sendable {
    case append([SealedDraft], [StreamName: ExpectedVersion])
    case erase([EventID])
  }

  enum Answer: Sendable {
    case appended(AppendOutcome)
    case erased([Position])
  }

  typealias Completion = @Sendable (Result<Answer, AppendError>) -> Void

  let work: Work
  let bytes: Int
  /// Instant of `MonotonicClock`.
  let deadline = MonotonicClock.milliseconds() + AppendDeadline.milliseconds
  private let completion: Monitor<Completion?>

  init(_ work: Work, then completion: @escaping Completion) {
    self.work = work
    self.completion = Monitor(completion)
    bytes =
      switch work {
      case .append(let events, _): events.reduce(0) { $0 + $1.draft.data.count + 512 }
      case .erase(let ids): ids.count * 128
      }
  }

  /// Answers the caller; only the first answer counts.
  func resolve(_ result: Result<Answer, AppendError>) {
    let completion = completion.withLock { completion in
      defer { completion = nil }
      return completion
    }
    completion?(result)
  }

  var isResolved: Bool { completion.withLock { $0 == nil } }
}

/// How far a case is.
public enum CasePhase: String, Sendable, ClosedWord {
  /// A refund request is neither answered nor ended. Searching for it finds the waiting ones too.
  case open
  /// Open, and every refund request that is open waits for something named.
  case waiting
  /// Apple took our answer and has not decided yet.
  case answered
  /// The newest refund request ended without an answer; not a failure.
  case withheld
  /// Apple refused our answer.
  case failed
  /// Apple decided, and nothing is open.
  case decided
}

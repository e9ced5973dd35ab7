/// How far a refund request of a purchase has come. A purchase begins as if a request were open: the one that a receiver
/// was given may have come from elsewhere.
enum DecisionState: Equatable, Sendable {
  /// Nothing is planned.
  case open
  /// An automatic decision is planned in case no answer comes; `plan` tells it from others.
  case unanswered(plan: Int)
  /// An answer was accepted and the automatic decision that follows it is planned.
  case answered(plan: Int)
  /// Apple has decided; further answers change nothing, and the next request opens it again.
  case decided

  /// Whether the plan of this number is still to be carried out.
  func awaits(_ number: Int) -> Bool { self == .unanswered(plan: number) || self == .answered(plan: number) }
}

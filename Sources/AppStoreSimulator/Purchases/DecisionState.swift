/// How far a refund request of a purchase has come. A purchase begins as if a request were open: the one that a receiver
/// was given may have come from elsewhere.
enum DecisionState: Equatable, Sendable {
  /// Nothing is planned.
  case open
  /// A decision is planned in case no answer comes; `plan` tells it from others.
  case unanswered(plan: Int)
  /// An answer was accepted and the decision that follows it is planned.
  case answered(plan: Int)
  /// A decision is planned that no answer moves.
  case fixed(plan: Int)
  /// Apple has decided; further answers change nothing, and the next request opens it again.
  case decided

  /// Whether the plan of this number is still to be carried out.
  func awaits(_ number: Int) -> Bool {
    switch self {
    case .unanswered(let plan), .answered(let plan), .fixed(let plan): plan == number
    case .open, .decided: false
    }
  }
}

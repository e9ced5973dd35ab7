import AppStore

extension Book {
  /// Carries a decision out, in the purchase and, where it is the newest period, in its subscription.
  /// - Returns: the purchase, changed; nil when it is not there.
  mutating func decide(_ decision: Decision, on transactionId: String, now: Int64) -> Purchase? {
    guard let purchase = change(transactionId, { decision.apply(to: &$0, now: now) }) else { return nil }
    guard purchase.isAutoRenewable, decision.seats == nil else { return purchase }
    changeSubscription(of: purchase) { subscription in
      guard subscription.latest == transactionId else { return }
      switch decision.kind {
      case .declined: break
      case .refund: subscription.status = .revoked
      case .reversed: subscription.status = purchase.expiresDate ?? 0 > now ? .active : .expired
      }
    }
    return purchase
  }

  /// Opens a refund request, in place of an earlier one.
  /// - Returns: the plan for the case that no answer comes, or that answers do not matter; nil without one, or where the
  ///   purchase is not there.
  mutating func openRequest(_ transactionId: String, _ scenario: Scenario) -> Int? {
    guard self[transactionId] != nil else { return nil }
    let number = nextNumber()
    let state: DecisionState =
      switch scenario.decided {
      case .never: .open
      case .bySheet: .fixed(plan: number)
      case .by: scenario.unansweredAfterMilliseconds == nil ? .open : .unanswered(plan: number)
      }
    change(transactionId) {
      $0.state = state
      $0.request = number
      $0.scenario = scenario
    }
    return state.awaits(number) ? number : nil
  }

  /// Plans the decision that follows an accepted answer, unless an earlier answer has done so or Apple has decided.
  /// - Returns: the number of the plan.
  mutating func planDecision(_ transactionId: String) -> Int? {
    switch self[transactionId]?.state {
    case .answered, .fixed, .decided, nil: return nil
    case .open, .unanswered:
      let plan = nextNumber()
      change(transactionId) { $0.state = .answered(plan: plan) }
      return plan
    }
  }

  /// Carries a decision out whose plan is still to be carried out.
  /// - Returns: the purchase, changed; nil when something else has happened meanwhile.
  mutating func decide(_ decision: Decision, on transactionId: String, plan: Int, now: Int64) -> Purchase? {
    guard let purchase = self[transactionId], purchase.state.awaits(plan) else { return nil }
    return decide(decision, on: transactionId, now: now)
  }
}

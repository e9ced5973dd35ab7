import Service

/// Decides by itself, where the settings say so: some time after the first accepted answer of a request, or some time
/// after a request that got none. A request is decided once, and a decision made by hand takes the place of a planned one.
struct AutomaticDecision: Sendable {
  let settings: SimulatorSettings
  let ledger: Ledger
  let postman: Postman
  let log: Logger

  /// A refund request is about to be posted.
  /// - Parameter now: milliseconds since 1970 UTC.
  func requestPosted(_ transactionId: String, now: Int64) {
    let wait = settings.decideUnansweredAfterMilliseconds
    let isTimed = decision != nil && wait != nil
    guard let plan = ledger.openRequest(transactionId, isTimed: isTimed), let wait else { return }
    carryOut(plan: plan, of: transactionId, at: now + wait)
  }

  /// An answer was accepted; a further one for the same request plans nothing.
  /// - Parameter now: milliseconds since 1970 UTC.
  func answerAccepted(_ transactionId: String, now: Int64) {
    guard decision != nil, let plan = ledger.planDecision(transactionId) else { return }
    carryOut(plan: plan, of: transactionId, at: now + settings.decideAfterMilliseconds)
  }

  private var decision: Decision? {
    switch settings.decide {
    case .none: nil
    case .refund: Decision(.refund)
    case .declined: Decision(.declined)
    }
  }

  private func carryOut(plan: Int, of transactionId: String, at due: Int64) {
    guard let decision else { return }
    let job = Postman.Job(due: due) { [ledger] now in
      ledger.carryOut(plan: plan, of: transactionId) { decision.apply(to: &$0, now: now) }
        .map { Notices.decision(decision.notificationType, $0) }
    } done: { _ in
    }
    if !postman.take(job) {
      _ = ledger.carryOut(plan: plan, of: transactionId) { $0.state = .open }
      log.warning("decision dropped: too many wait", ["transaction.id": .text(transactionId)])
    }
  }
}

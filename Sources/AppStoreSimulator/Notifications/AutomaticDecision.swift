import Service

/// Decides by itself some time after each accepted answer, where the settings say so.
struct AutomaticDecision: Sendable {
  let settings: SimulatorSettings
  let ledger: Ledger
  let postman: Postman
  let log: Logger

  /// A further answer for the same request does not make a second decision, and one made by hand meanwhile takes its
  /// place.
  /// - Parameter now: milliseconds since 1970 UTC.
  func answerAccepted(_ transactionId: String, now: Int64) {
    let decision: Decision
    switch settings.decide {
    case .none: return
    case .refund: decision = Decision(.refund)
    case .declined: decision = Decision(.declined)
    }
    guard let number = ledger.awaitDecision(transactionId) else { return }
    let job = Postman.Job(due: now + settings.decideAfterMilliseconds) { [ledger] now in
      guard ledger.purchase(transactionId)?.awaitedDecision == number else { return nil }
      return ledger.change(transactionId) { decision.apply(to: &$0, now: now) }
        .map { Notices.decision(decision.notificationType, $0) }
    } done: { _ in
    }
    if !postman.take(job) {
      _ = ledger.change(transactionId) { $0.awaitedDecision = nil }
      log.warning("decision dropped: too many wait", ["transaction.id": .text(transactionId)])
    }
  }
}

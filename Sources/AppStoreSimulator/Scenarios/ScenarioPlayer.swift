import AppStore
import JSON
import Service

/// Plays scenarios: opens refund requests, decides them, and lets follow what is said to follow. A request is decided once,
/// and a decision made by hand takes the place of a planned one.
struct ScenarioPlayer: Sendable {
  let ledger: Ledger
  let postman: Postman
  let log: Logger
  /// What the settings say.
  let standard: Scenario

  /// A refund request as the customer made it.
  struct Request: Sendable {
    var transactionId: String
    /// nil leaves the member out.
    var reason: String?
    /// Into the sandbox's sheet.
    var typed: String?
    var scenario: Scenario
  }

  /// Opens a request and plans what follows.
  /// - Parameter now: milliseconds since 1970 UTC.
  /// - Returns: the notification that asks for facts; nil where the purchase is not there.
  func open(_ request: Request, now: Int64) -> JSONObject? {
    let (id, scenario) = (request.transactionId, request.scenario)
    let opened = ledger.edit { book in
      let plan = book.openRequest(id, scenario)
      return book[id].map {
        (plan: plan, purchase: $0, told: Notices.consumptionRequest($0, reason: request.reason, in: book))
      }
    }
    guard let (plan, purchase, told) = opened else { return nil }
    let (number, lane) = (purchase.request, purchase.originalTransactionId)
    if let plan { planUnanswered(plan, request, lane, now: now) }
    if let wait = scenario.repeatAfterMilliseconds {
      later(lane, at: now + wait, "the repetition of a request") { book, _ in
        guard let purchase = book[id], purchase.request == number, purchase.state != .decided else { return nil }
        return Notices.consumptionRequest(purchase, reason: request.reason, in: book)
      }
    }
    if let wait = scenario.renewalOffAfterMilliseconds, purchase.isAutoRenewable {
      later(lane, at: now + wait, "the end of a renewal") { book, _ in
        guard let purchase = book[id], book.subscription(of: purchase).renews else { return nil }
        book.changeSubscription(of: purchase) { $0.renews = false }
        return Notices.about(book.latest(of: purchase), .didChangeRenewalStatus, .autoRenewDisabled, in: book)
      }
    }
    return told
  }

  /// An answer was accepted; a further one for the same request plans nothing.
  /// - Parameter now: milliseconds since 1970 UTC.
  func answerAccepted(_ transactionId: String, now: Int64) {
    guard let purchase = ledger.purchase(transactionId) else { return }
    let scenario = purchase.scenario ?? standard
    guard case .by(let decision) = scenario.decided, let plan = ledger.edit({ $0.planDecision(transactionId) }) else {
      return
    }
    let due = now + scenario.afterMilliseconds
    decide(decision, plan: plan, of: transactionId, purchase.originalTransactionId, at: due, scenario)
  }

  private func planUnanswered(_ plan: Int, _ request: Request, _ lane: String, now: Int64) {
    let scenario = request.scenario
    switch scenario.decided {
    case .never: break
    case .bySheet:
      let decision = RefundSheet.decision(reason: request.reason, typed: request.typed)
      decide(decision, plan: plan, of: request.transactionId, lane, at: now + scenario.afterMilliseconds, scenario)
    case .by(let decision):
      let wait = scenario.unansweredAfterMilliseconds ?? 0
      decide(decision, plan: plan, of: request.transactionId, lane, at: now + wait, scenario)
    }
  }

  private func decide(
    _ decision: Decision, plan: Int, of id: String, _ lane: String, at due: Int64, _ scenario: Scenario
  ) {
    let isPlanned = later(lane, at: due, "a decision") { book, now in
      guard let purchase = book.decide(decision, on: id, plan: plan, now: now) else { return nil }
      follow(decision, on: purchase, scenario, now: now)
      return Notices.decision(decision, purchase, in: book)
    }
    if !isPlanned {
      ledger.edit { book in
        book.change(id) { if $0.state.awaits(plan) { $0.state = .open } }
        return ()
      }
    }
  }

  /// What follows a decision that was planned.
  private func follow(_ decision: Decision, on purchase: Purchase, _ scenario: Scenario, now: Int64) {
    let (id, number, lane) = (purchase.transactionId, purchase.request, purchase.originalTransactionId)
    if let wait = scenario.reverseAfterMilliseconds, decision.kind == .refund {
      let reversal = Decision(.reversed)
      later(lane, at: now + wait, "a reversal") { book, now in
        guard let purchase = book[id], purchase.isRefunded, purchase.request == number else { return nil }
        return book.decide(reversal, on: id, now: now).map { Notices.decision(reversal, $0, in: book) }
      }
    }
    if let next = scenario.then.first {
      let request = Request(transactionId: id, reason: "UNINTENDED_PURCHASE", typed: nil, scenario: next)
      take(
        Postman.Job(due: now + scenario.thenAfterMilliseconds, lane: lane, isPlanned: true) { now in
          open(request, now: now)
        } done: { _ in
        }, "a further request")
    }
  }

  @discardableResult
  private func later(
    _ lane: String, at due: Int64, _ what: String,
    _ compose: @escaping @Sendable (inout Book, _ now: Int64) -> JSONObject?
  ) -> Bool {
    take(
      Postman.Job(due: due, lane: lane, isPlanned: true) { [ledger] now in
        ledger.edit { compose(&$0, now) }
      } done: { _ in
      }, what)
  }

  @discardableResult
  private func take(_ job: Postman.Job, _ what: String) -> Bool {
    let isTaken = postman.take(job)
    if !isTaken {
      log.warning("plan dropped: too many wait", ["what": .text(what), "transaction.id": .text(job.lane ?? "")])
    }
    return isTaken
  }
}

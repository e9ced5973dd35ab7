import Contracts
import JSON

/// Puts a case page together from the folded case, its standing and its history.
struct CasePageMaker {
  let standing: CaseStanding
  let history: CaseHistory
  let through: Int64

  private var state: CaseState { standing.state }

  func page() -> CasePage {
    CasePage(
      summary: Self.summary(standing), purchase: purchase(),
      requests: state.requests.map(request), outcomes: state.distinctDecisions.map(decision),
      renewals: renewals, cancellations: state.cancellations,
      evidence: evidence(), consent: standing.consent, timeline: timeline, isTimelineCut: history.isCut,
      stuck: standing.stuck, sendingPausedSince: standing.sending.pausedSince, through: through)
  }

  static func summary(_ standing: CaseStanding) -> CaseSummary {
    let state = standing.state
    let (phase, first) = standing.phase()
    let outcome = state.outcome
    let closed = state.requests.filter { !$0.hasEnded }
      .map { Window($0, environment: state.environment).closed }.min()
    return CaseSummary(
      purchase: state.key, app: state.app, customer: state.customer, productID: state.purchase?.productID,
      originalTransactionID: state.purchase?.originalTransactionID, phase: phase, waitsFor: first?.waitsFor,
      waitsUntil: first?.waitsUntil, due: state.due, closed: closed,
      requests: state.requests.count,
      withheld: state.requests.last?.withheld.flatMap { .init(rawValue: $0.reason) },
      outcome: outcome.flatMap { Outcome.Kind(rawValue: $0.kind.rawValue) },
      extent: outcome?.extent.flatMap { Outcome.Extent(rawValue: $0) },
      isWithoutRequest: outcome.map(state.isWithoutRequest) ?? false, isUpgraded: outcome?.isUpgraded ?? false,
      newest: state.newest,
      isStuck: standing.stuck != nil)
  }

  private var renewals: [CasePage.RenewalChange] {
    state.renewals.map {
      CasePage.RenewalChange(
        at: $0.signedAt, isOn: $0.isOn, isProbablyOfAppStore: state.isProbablyOfAppStore($0), position: $0.position)
    }
  }

  /// With the case beside it an event may say more than alone.
  private var timeline: [CasePage.Happening] {
    let renewals = Dictionary(uniqueKeysWithValues: self.renewals.map { ($0.position, $0.words) })
    return history.timeline.map { happening in
      guard let words = renewals[happening.position] else { return happening }
      var told = happening
      told.gist = "Apple: \(words)"
      return told
    }
  }

  private func purchase() -> CasePage.Purchase? {
    state.purchase.map { facts in
      CasePage.Purchase(
        productID: facts.productID, productType: facts.productType,
        originalTransactionID: facts.originalTransactionID, purchaseDate: facts.purchaseDate, quantity: facts.quantity,
        price: facts.price, currency: facts.currency, storefront: facts.storefront,
        answerable: Self.words(for: facts),
        revocation: RevocationFinding(facts, others: standing.others).page, signedAt: facts.signedDate)
    }
  }

  private static func words(for facts: PurchaseFacts) -> String {
    if let reason = facts.notAnswerable { return "Apple takes no answer: \(reason)" }
    return facts.answers == .version1
      ? "Apple takes an answer at endpoint version 1 (Advanced Commerce)" : "Apple takes an answer"
  }

  private func request(_ request: RefundRequest) -> CasePage.Request {
    let window = Window(request, environment: state.environment)
    let word = standing.standing(of: request)
    let withheld = request.withheld.map { withheld in
      let told = history.withheld[request.id]
      return CasePage.Withheld(
        reason: withheld.reason, explanation: told?.explanation, missing: told?.missing, at: withheld.at)
    }
    return CasePage.Request(
      id: request.id, signedAt: request.signedAt, receivedAt: request.receivedAt, due: window.due,
      closed: window.closed, reason: request.reason, state: word.state, words: word.words, waitsFor: word.waitsFor,
      waitsUntil: word.waitsUntil, attempts: request.attempts.map(attempt), withheld: withheld,
      mayHaveBeenAnswered: standing.mayHaveBeenAnswered(request))
  }

  private func attempt(_ attempt: RefundRequest.Attempt) -> CasePage.Attempt {
    var page = CasePage.Attempt(
      number: attempt.number, claim: attempt.claim, position: attempt.position, sendBy: attempt.sendBy,
      state: .underway, said: history.claims[attempt.claim].map(CasePage.Said.init))
    let failed = history.failed[attempt.claim]
    switch attempt.result {
    case nil: return page
    case .sent(let status, let at):
      page.state = .accepted
      page.status = status
      page.repliedAt = at
      return page
    case .refused: page.state = .refused
    case .failed, .limited, .unauthorised: page.state = .failed
    case .unknown: page.state = .unknown
    }
    page.status = failed?.status
    page.errorCode = failed?.errorCode
    page.explanation = failed?.explanation
    page.retryAt = failed?.retryAt
    return page
  }

  private func decision(_ decision: CaseOutcome) -> CasePage.Decision {
    let said = state.requests.flatMap(\.attempts).filter { $0.position < decision.position && $0.mayHaveBeenTaken }
    return CasePage.Decision(
      kind: Outcome.Kind(rawValue: decision.kind.rawValue)!,
      extent: decision.extent.flatMap { Outcome.Extent(rawValue: $0) }, percentage: decision.percentage,
      revocationDate: decision.revocationDate, decidedAt: decision.signedAt, position: decision.position,
      isRecorded: state.outcomes.contains(decision.outcomeID(of: state.key)), said: said.map(\.number),
      isWithoutRequest: state.isWithoutRequest(decision), isUpgraded: decision.isUpgraded ?? false,
      revokedSeats: decision.revokedSeats, quantity: decision.quantity)
  }

  private func evidence() -> [CasePage.Evidence] {
    let own = state.evidence
    let original = standing.original?.evidence
    var list: [CasePage.Evidence] = []
    func add<Value>(
      _ member: String, _ stated: Stated<Value>?, else other: Stated<Value>? = nil, _ json: (Value) -> JSONValue
    ) {
      guard let value = stated ?? other else { return }
      list.append(
        .init(
          member: member, value: json(value.value), statedAt: value.at, by: value.by, event: value.event,
          isOfOriginal: stated == nil))
    }
    add("deliveryStatus", own.deliveryStatus, else: original?.deliveryStatus) { .string($0) }
    add("sampleContentProvided", own.sampleContentProvided, else: original?.sampleContentProvided) { .bool($0) }
    add("consumptionPercentage", own.consumptionPercentage) { .number(JSONNumber($0)) }
    add("unitsGranted", own.unitsGranted) { .number(JSONNumber($0)) }
    add("unitsUsed", own.unitsUsed) { .number(JSONNumber($0)) }
    for (member, value) in AccountEvidence.members {
      add(member, own.account?[keyPath: value], else: original?.account?[keyPath: value]) { .number(JSONNumber($0)) }
    }
    add("known", own.unknownPurchase) { .bool(!$0) }
    return list
  }
}

import AppStore
import Contracts
import EventLog

/// Decides what is next for a case. A pure function of what the log says, the policy in it, and the instant.
struct CaseJudge {
  let state: CaseState
  /// nil where nobody knows whose purchase it is.
  let customer: CustomerState?
  let app: AppState
  /// nil where the purchase is no renewal.
  let original: OriginalPurchase?
  let customerStream: StreamName?
  let appStream: StreamName
  /// Name of this process, new at each start.
  let claimant: String
  let now: Int64
  let times: ClaimTimes
  /// Fingerprint of key and address that a call would be made with; nil for those who only look.
  var caller: String? = nil
  /// The newest of what a parent took back for the purchase's app transaction.
  var rescission: Rescission? = nil
  /// Whether a restore holds sending up, and what it left unknown.
  var sending = SendingState()
  /// Nobody knows whether `now` is right: nothing is ended for its sake.
  var isClockDoubtful = false

  func next() -> Step {
    if let outcome = unrecordedOutcome() { return outcome }
    let living = state.requests.filter { $0.withheld == nil }
      .sorted { Window($0, environment: state.environment).due < Window($1, environment: state.environment).due }
    var rest = Step.rest(nil, until: nil)
    var isHeldByClock = false
    for request in living {
      var step = unsettled(request) ?? (request.hasEnded ? judgeAgain(request) : judge(request))
      // Two calls about one purchase would each change what the other rests on. The result brings it here again.
      if state.isCalling || original?.isCalling == true, case .claim = step {
        step = .rest(.appStore, until: Window(request, environment: state.environment).closed)
      }
      guard case .rest(let waiting, let until) = step else { return step }
      if waiting == .clock { isHeldByClock = true }
      if case .rest(_, let earlier) = rest, until.map({ $0 < earlier ?? .max }) ?? false {
        rest = .rest(waiting, until: until)
      }
    }
    if isHeldByClock, case .rest(_, let until) = rest { return .rest(.clock, until: until) }
    return rest
  }

  // MARK: Outcomes

  private func unrecordedOutcome() -> Step? {
    guard let decision = state.unrecordedDecision else { return nil }
    let request = state.request(before: decision)
    let said = state.requests.flatMap(\.attempts).filter { $0.position < decision.position && $0.mayHaveBeenTaken }
    let outcome = Outcome(
      decision: Self.decision(decision), decidedAt: decision.signedAt, source: .notification,
      answers: said.map(\.claim), percentage: decision.percentage,
      revocationDate: decision.revocationDate, request: request?.id, revokedSeats: decision.revokedSeats,
      quantity: decision.quantity, upgraded: decision.isUpgraded)
    return .recordOutcome(outcome, id: decision.outcomeID(of: state.key), notification: decision.notification)
  }

  private static func decision(_ decision: CaseOutcome) -> Outcome.Decision {
    switch decision.kind {
    case .refunded: .refunded(decision.extent.flatMap(Outcome.Extent.init) ?? .unknown)
    case .declined: .declined
    case .reversed: .reversed
    }
  }

  // MARK: One refund request

  /// A claim that waits for its result: nothing else happens to its request before that.
  private func unsettled(_ request: RefundRequest) -> Step? {
    guard let attempt = request.openAttempt else { return nil }
    let unknownAt = attempt.sendBy + times.sendToUnknown
    return now < unknownAt && !isOfClockAhead(attempt)
      ? .rest(.appStore, until: unknownAt) : .settleUnknown(request: request.id, attempt: attempt)
  }

  private func judge(_ request: RefundRequest) -> Step {
    let window = Window(request, environment: state.environment)
    if let outcome = state.outcome, outcome.signedAt >= request.signedAt {
      return withhold(
        request, .alreadyDecided, "Apple decided (\(outcome.kind.rawValue)) before an answer was possible")
    }
    if now >= window.stale { return over(withhold(request, .expired, "it was signed more than 7 days ago")) }
    if let reason = notAnswerable() { return withhold(request, .notAnswerable, reason) }

    switch answer(to: request) {
    case .success(let answer):
      if now >= window.closed { return over(withhold(request, .expired, Self.expired(request))) }
      if sending.pausedSince != nil { return .rest(.resumption, until: window.closed) }
      return putOff(request, window) ?? .claim(claim(answer, for: request, window))
    case .failure(.withhold(let reason, let explanation)): return withhold(request, reason, explanation)
    case .failure(.wait(let waiting)):
      return now < window.closed ? .rest(waiting, until: window.closed) : over(end(of: request, waitingFor: waiting))
    }
  }

  /// An end for no other reason than the time.
  private func over(_ end: Step) -> Step { isClockDoubtful ? .rest(.clock, until: nil) : end }

  /// How a request ends that waited in vain.
  private func end(of request: RefundRequest, waitingFor waiting: Waiting) -> Step {
    switch waiting {
    case .consent: withhold(request, .noConsent, "no consent was on record when its window closed")
    case .parent:
      withhold(
        request, .noConsent,
        "a parent took back consent to the child's use of the app, and nobody agreed since when its window closed")
    case .customer: withhold(request, .noConsent, "nobody knew whose purchase it is when its window closed")
    case .facts(let missing):
      withhold(request, .noFacts, "nobody stated \(missing.joined(separator: " and "))", missing)
    case .purchaseKnown:
      withhold(request, .unknownPurchase, "the backend says that it does not know this purchase")
    case .policy: withhold(request, .expired, "no policy was ever loaded for its app")
    case .person, .key, .appStore, .resumption, .clock: withhold(request, .expired, Self.expired(request))
    }
  }

  private static func expired(_ request: RefundRequest) -> String {
    request.attempts.isEmpty
      ? "nothing was sent within 12 hours of its receipt" : "no attempt succeeded within 12 hours of its receipt"
  }

  /// A person's hold that stands now, and when it ends by itself.
  private func hold(of request: RefundRequest) -> (review: Review, end: Int64)? {
    guard let hold = state.reviews.hold(of: request) else { return nil }
    let end = min(hold.until ?? .max, Window(request, environment: state.environment).holdEnd)
    return now < end ? (hold, end) : nil
  }

  /// The clock that its times were reckoned by was ahead, and was mended since.
  private func isOfClockAhead(_ attempt: RefundRequest.Attempt) -> Bool { attempt.at - now > ClaimTimes.clockAheadMax }

  /// Reasons not to make an attempt just now, though everything it needs is there.
  private func putOff(_ request: RefundRequest, _ window: Window) -> Step? {
    if let (hold, end) = hold(of: request), hold.all == true { return .rest(.person(hold.by), until: end) }
    guard let last = request.attempts.last, state.reviews.wish(for: request) == nil else { return nil }
    if isOfClockAhead(last) { return nil }
    // However long the App Store wants us to wait, there is one more attempt before the window closes.
    let again = request.retryAt.map { last.at < window.lastCall ? min($0, window.lastCall) : min($0, window.closed) }
    return again.flatMap { now < $0 ? .rest(.appStore, until: $0) : nil }
  }

  // MARK: One that was answered or refused

  /// Inside its window Apple may be told anew: where the body would be another one now, or a person says so.
  private func judgeAgain(_ request: RefundRequest) -> Step {
    let window = Window(request, environment: state.environment)
    let isDecided = state.outcome.map { $0.signedAt >= request.signedAt } ?? false
    let taken = request.attempts.filter { $0.sentAt != nil }
    guard now < min(window.closed, window.stale), !isDecided, notAnswerable() == nil, taken.count <= AnswersAgain.max,
      case .success(let answer) = answer(to: request)
    else { return .rest(nil, until: nil) }
    let isKnown =
      answer.text == taken.last?.body
      || request.attempts.contains { $0.isRefused && $0.body == answer.text && (caller == nil || $0.caller == caller) }
    guard !isKnown || state.reviews.wish(for: request) != nil else {
      // What is held may be said when the hold ends.
      return .rest(nil, until: hold(of: request)?.end)
    }
    if sending.pausedSince != nil { return .rest(.resumption, until: min(window.closed, window.stale)) }
    // A refused body may be mended at once; one that was taken is not replaced more often than this.
    if let sentAt = taken.last?.sentAt, case let again = sentAt + AnswersAgain.apart, now < again {
      return .rest(.appStore, until: again)
    }
    return putOff(request, window) ?? .claim(claim(answer, for: request, window))
  }

  private func notAnswerable() -> String? {
    guard let purchase = state.purchase else { return "the notification carries no transaction" }
    return purchase.notAnswerable
  }

  private struct Answer {
    var body: ConsumptionAnswer
    /// Digest of the policy text in force.
    var policy: String
    /// Id of the event that allows it.
    var basis: String
    var sources: [String: String]

    /// The exact bytes, as text.
    var text: String { String(decoding: body.body, as: UTF8.self) }
  }

  private enum NoAnswer: Error {
    case wait(Waiting)
    case withhold(ConsumptionWithheld.Reason, String)
  }

  /// Consent first: without it nothing else is looked at.
  private func answer(to request: RefundRequest) -> Result<Answer, NoAnswer> {
    guard let policy = app.policy else { return .failure(.wait(.policy)) }
    let purchase = state.purchase!
    let basis: (event: String, words: String)
    switch ConsentFinding(
      customer: customer, purchaseDate: purchase.purchaseDate, app: app, rescission: rescission)
    {
    case .allowed(let event, let words): basis = (event, words)
    // A customer may agree again while the window is open.
    case .withdrawn, .outdated: return .failure(.wait(.consent))
    case .rescinded: return .failure(.wait(.parent))
    case .unknown: return .failure(.wait(customer == nil ? .customer : .consent))
    }
    let productType = purchase.type
    let evidence = state.evidence.completed(by: original?.evidence)
    var facts: FactsFinding
    do throws(FactsFinding.Missing) {
      facts = try FactsFinding(
        productType: productType, evidence: evidence, app: app, product: purchase.productID, signedAt: request.signedAt)
    } catch {
      switch error {
      case .facts(let missing): return .failure(.wait(.facts(missing)))
      case .unknownPurchase: return .failure(.wait(.purchaseKnown))
      }
    }
    // The body is another one then, and is sent at once.
    if request.takesNoShare == true, facts.share != nil {
      facts = facts.withoutShare("left out: the App Store refused the answer that stated it")
    }
    do throws(ConsumptionRequestError) {
      let body: ConsumptionAnswer
      var sources = facts.sources
      switch purchase.answers {
      case .version1:
        let finding = try AdvancedCommerceFinding(
          facts, purchase: purchase, evidence: evidence, said: state.reviews.preference(for: request),
          hold: hold(of: request)?.review)
        body = .version1(finding.body)
        sources = finding.sources
      // Those of which Apple takes none were withheld before.
      case .version2, .familyShared, .assigned:
        let preference = PreferenceFinding(
          state.reviews.preference(for: request), hold: hold(of: request)?.review, productType: productType,
          delivery: facts.deliveryStatus, share: facts.share)
        body = .version2(
          try ConsumptionRequest(
            productType: productType, deliveryStatus: facts.deliveryStatus,
            sampleContentProvided: facts.sampleContentProvided, consumptionPercentage: facts.share,
            refundPreference: preference.preference))
        sources["refundPreference"] = preference.words
      }
      sources["basis"] = basis.words
      return .success(Answer(body: body, policy: policy.digest, basis: basis.event, sources: sources))
    } catch {
      return .failure(.withhold(.notAnswerable, error.description))
    }
  }

  private func claim(_ answer: Answer, for request: RefundRequest, _ window: Window) -> Step.Claim {
    var expecting: [StreamName: ExpectedVersion] = [
      state.stream: .exactly(state.version), appStream: .exactly(app.version),
      // A restore that this has not read yet holds it up.
      StreamName(Streams.log): .exactly(sending.version),
    ]
    if let customerStream { expecting[customerStream] = .exactly(customer?.version ?? 0) }
    if let original { expecting[original.stream] = .exactly(original.version) }
    var sources = answer.sources
    if let gap = gap(of: request) { sources["restore"] = "it may have been answered before: \(gap)" }
    let prepared = ConsumptionPrepared(
      request: request.id, attempt: state.attempts + 1, endpointVersion: answer.body.version.rawValue,
      body: answer.text, rule: "default", policy: answer.policy,
      basis: answer.basis, sources: sources, claimant: claimant,
      sendBy: min(now + times.claimToSend, window.closed, window.stale), late: now >= window.due, caller: caller)
    return Step.Claim(prepared: prepared, expecting: expecting)
  }

  private func withhold(
    _ request: RefundRequest, _ reason: ConsumptionWithheld.Reason, _ explanation: String, _ missing: [String]? = nil
  ) -> Step {
    // The log says what it knows; it does not know all where it was restored.
    let explanation = explanation + (gap(of: request).map { "; \($0)" } ?? "")
    return .withhold(
      ConsumptionWithheld(request: request.id, reason: reason, explanation: explanation, missing: missing))
  }

  private func gap(of request: RefundRequest) -> String? {
    let closed = Window(request, environment: state.environment).closed
    return sending.mayHide(answerTo: request, closed: closed) ? sending.gap : nil
  }
}

public import Contracts
public import EventLog

/// A case as the log tells it at the instant of a person's act: what may be done with it, and the act as an event. The
/// API and the command line ask the same one. Instants are milliseconds since 1970, UTC.
public struct ReviewableCase: Sendable {
  public let purchase: PurchaseKey
  public let app: String
  /// Of its stream, when it was read; who appends expects it, so that the act meets the case it was checked against.
  public let version: Int64
  /// Pseudonym, as known now.
  public let customer: String?
  private let state: CaseState

  /// Blocks.
  /// - Returns: nil where Apple sent neither a refund request nor a decision.
  public init?(_ purchase: PurchaseKey, in log: any EventLog) throws(LogReadError) {
    let story = try PurchaseStory(of: purchase, in: log)
    guard story.isCase, let app = story.app else { return nil }
    self.purchase = purchase
    self.app = app
    version = story.version
    customer = story.customer(of: app)
    state = story.state
  }

  /// The refund request that an act is about: the one named, else the newest with which it can be done.
  /// - Parameter named: id of the event that opened it.
  public func request(
    for act: CaseReviewed.Act, named: String? = nil, at now: Int64
  ) throws(ReviewRefusal) -> String {
    var meant = state.requests.sorted { $0.signedAt > $1.signedAt }
    if let named {
      meant.removeAll { $0.id != named }
      if meant.isEmpty { throw .otherRequest }
    }
    var refusal: ReviewRefusal?
    for request in meant {
      guard let found = self.refusal(of: act, on: request, at: now) else { return request.id }
      refusal = refusal ?? found
    }
    throw refusal ?? .noRequest
  }

  /// Words may be added at any time; everything else only where it can still change something.
  public func check(_ act: CaseReviewed, at now: Int64) throws(ReviewRefusal) {
    if act.act == .note, act.request == nil { return }
    _ = try request(for: act.act, named: act.request, at: now)
  }

  /// Until when a person holds the request back, and whether the whole answer; nil where nobody does.
  public func hold(of request: String, at now: Int64) -> (end: Int64, isOfAll: Bool)? {
    guard let request = state.requests.first(where: { $0.id == request }), let hold = state.reviews.hold(of: request)
    else { return nil }
    let end = min(hold.until ?? .max, window(request).holdEnd)
    return now < end ? (end, hold.all ?? false) : nil
  }

  /// When a hold of the request ends by itself.
  public func holdEnd(_ request: String) -> Int64? {
    state.requests.first { $0.id == request }.map { window($0).holdEnd }
  }

  /// The act on its way into the log.
  public func draft(_ act: CaseReviewed, id: EventID, at now: Int64) -> EventDraft {
    EventDraft(
      act, id: id.text, stream: StreamName(purchase.stream), environment: purchase.environment, app: app,
      customer: customer, occurredAt: now, correlation: act.request)
  }

  private func window(_ request: RefundRequest) -> Window { Window(request, environment: purchase.environment) }

  private func refusal(of act: CaseReviewed.Act, on request: RefundRequest, at now: Int64) -> ReviewRefusal? {
    if act == .note { return nil }
    let window = window(request)
    let closed = min(window.closed, window.stale)
    if now >= closed { return .closed(at: closed) }
    if let outcome = state.outcome, outcome.signedAt >= request.signedAt {
      return .decided(Outcome.Kind(rawValue: outcome.kind.rawValue)!, at: outcome.signedAt)
    }
    // Of those that ended without an answer, only what a rule ended may be taken up again.
    if let withheld = request.withheld, withheld.reason != ConsumptionWithheld.Reason.policy.rawValue {
      return .withheld
    }
    switch act {
    case .hold: return now < window.holdEnd ? nil : .holdTooLate(end: window.holdEnd)
    case .answerNow: return request.openAttempt != nil ? .underway : request.isAnswered ? .answered : nil
    case .answerAgain:
      if !request.isAnswered { return .notAnswered }
      if request.openAttempt != nil { return .underway }
      let further = request.attempts.filter { $0.sentAt != nil }.count - 1
      return further < AnswersAgain.max ? nil : .answeredOften(max: AnswersAgain.max)
    case .release, .prefer, .note: return nil
    }
  }
}

import AppStore
import Contracts
import EventLog
import Service

/// How a case stands at an instant: the judge's word on each of its refund requests, put into words.
struct CaseStanding {
  let state: CaseState
  let customer: CustomerState?
  let app: AppState
  let original: OriginalPurchase?
  let now: Int64
  let times: ClaimTimes
  /// Where the case's own stream cannot be read on; then nothing is done about it.
  let stuck: CasePage.Stuck?
  /// Where another stream cannot be read on that an answer rests on: it might hold a withdrawal.
  let basisStuck: CasePage.Stuck?
  /// Whether a restore holds sending up, and what it left unknown.
  let sending: SendingState
  /// The newest of what a parent took back for the purchase's app transaction.
  let rescission: Rescission?
  /// Until when Apple limits calls of the app, as some case of it met the limit; nil where none did.
  let limitedUntil: Int64?
  /// Other transactions of the period, where the purchase is of seats; only for a whole page.
  var others: [RevocationFinding.Other] = []

  struct Standing: Equatable {
    var state: CasePage.Request.State
    var words: String
    var waitsFor: String?
    var waitsUntil: Int64?
  }

  func standing(of request: RefundRequest) -> Standing {
    if let withheld = request.withheld {
      return Standing(state: .withheld, words: "It was not answered: \(Self.words(for: withheld.reason)).")
    }
    if request.openAttempt != nil {
      guard case .rest = step(for: request) else { return stuck.map(waiting(for:)) ?? Self.noReply }
      return Standing(state: .sending, words: "An answer is on its way to Apple.")
    }
    if request.isAnswered { return Standing(state: .answered, words: "Apple took the answer.") }
    if request.isRefused { return Standing(state: .failed, words: "Apple refused the answer.") }
    if let stuck { return waiting(for: stuck) }
    switch step(for: request) {
    case .rest(.appStore, let until):
      guard case .limited = request.attempts.last?.result, let until else {
        return Self.waiting(for: Waiting.appStore.description, until: until)
      }
      return Self.limited(until: until)
    case .rest(let waiting, let until):
      return Self.waiting(for: waiting?.description ?? "something to change", until: until)
    case .claim where state.isCalling:
      return Self.waiting(for: "the result of the other call about this purchase", until: nil)
    case .claim: return claimed(request)
    case .settleUnknown: return Self.noReply
    case .withhold(let withheld):
      return Standing(state: .open, words: "It ends without an answer: \(Self.words(for: withheld.reason.rawValue)).")
    case .recordOutcome: return Standing(state: .open, words: "Apple decided; it is looked at next.")
    }
  }

  /// Of a request for which everything that the log must hold is there. Keys are not seen here.
  private func claimed(_ request: RefundRequest) -> Standing {
    if let basisStuck { return waiting(for: basisStuck) }
    if case .unauthorised = request.attempts.last?.result {
      return Self.waiting(
        for: "a token that Apple takes", until: nil, more: "; every five minutes one call of the app tries")
    }
    let window = Window(request, environment: state.environment)
    if let until = limitedUntil.map({ min($0, window.lastCall) }), now < until { return Self.limited(until: until) }
    return Standing(
      state: .open,
      words: "Everything is there; it is answered next, where the app has a key and Apple takes calls of it.")
  }

  private func waiting(for stuck: CasePage.Stuck) -> Standing {
    Self.waiting(
      for: "a release that can read the event at position \(stuck.position)", until: nil,
      more: "; nothing is sent before")
  }

  private static func waiting(for name: String, until: Int64?, more: String = "") -> Standing {
    Standing(state: .waiting, words: "It waits for \(name)\(more).", waitsFor: name, waitsUntil: until)
  }

  private static func limited(until: Int64) -> Standing {
    Standing(
      state: .waiting, words: "It is waiting until \(RFC3339.text(until)) because Apple limited our calls.",
      waitsFor: "Apple's limit of calls", waitsUntil: until)
  }

  private static let noReply = Standing(
    state: .open, words: "No reply of Apple was recorded; it is looked at next.")

  /// Whether Apple may have been told something about it that a restored log does not know.
  func mayHaveBeenAnswered(_ request: RefundRequest) -> Bool {
    sending.mayHide(answerTo: request, closed: Window(request, environment: state.environment).closed)
  }

  /// The case's phase, and the standing of the open request that ends first.
  func phase() -> (CasePhase, first: Standing?) {
    let open = state.requests.filter { !$0.hasEnded }
      .sorted { Window($0, environment: state.environment).due < Window($1, environment: state.environment).due }
    let standings = open.map(standing)
    guard let first = standings.first else { return (state.phase, nil) }
    return (standings.allSatisfy { $0.state == .waiting } ? .waiting : .open, first)
  }

  var consent: CasePage.Consent {
    switch ConsentFinding(
      customer: customer, purchaseDate: state.purchase?.purchaseDate, app: app, rescission: rescission)
    {
    case .allowed(let event, let words): return .init(state: .allowed, words: words, event: event)
    case .withdrawn:
      return .init(state: .withdrawn, words: "the customer said no", event: customer?.consent?.event)
    case .rescinded(let event):
      return .init(
        state: .withdrawn, words: "a parent took back consent to the child's use of the app, and nobody agreed since",
        event: event)
    case .outdated(let version):
      return .init(
        state: .unknown, words: "the customer agreed to text version \(version), which is not accepted any more",
        event: customer?.consent?.event)
    case .unknown:
      let words =
        state.customer == nil
        ? "nobody knows whose purchase it is" : "no consent of the customer is on record"
      return .init(state: .unknown, words: words)
    }
  }

  /// What the judge says of one request when nothing else of the case asks for attention.
  private func step(for request: RefundRequest) -> Step {
    var alone = state
    alone.requests = [request]
    alone.outcomes = state.decisions.map { $0.outcomeID(of: state.key) }
    return CaseJudge(
      state: alone, customer: customer, app: app, original: original,
      customerStream: state.customer.map { StreamName(Streams.customer($0)) },
      appStream: StreamName(Streams.app(state.app ?? "")), claimant: "", now: now, times: times,
      rescission: rescission, sending: sending
    ).next()
  }

  static func words(for reason: String) -> String {
    switch ConsumptionWithheld.Reason(rawValue: reason) {
    case .noConsent: "no consent was on record"
    case .noFacts: "nobody stated the facts that Apple requires"
    case .unknownPurchase: "the backend does not know this purchase"
    case .notAnswerable: "Apple takes no answer for this purchase"
    case .policy: "the policy says so"
    case .expired: "its time ran out"
    case .alreadyDecided: "Apple had decided already"
    case nil: reason
    }
  }
}

import AppStore
import Contracts
import EventLog
import JSON

/// A purchase about whose refund Apple has spoken, folded from the events of its stream and from nothing else.
struct CaseState: Codable, Equatable, Sendable {
  var environment: String
  var transactionID: String
  /// Version of the stream up to which it is folded.
  var version: Int64 = 0
  var app: String?
  /// Pseudonym of the account token in the notifications, from the newest one that has it.
  var tokenCustomer: Stated<String>?
  /// Whose purchase it is by the backend's word, by bundle id: a word about another app's purchase counts for nothing.
  var links: [String: Stated<String>] = [:]
  var purchase: PurchaseFacts?
  /// By the instant Apple signed them, in whatever order they came.
  var requests: [RefundRequest] = []
  /// Apple's decisions in the order in which they came. One that was announced twice, or found in refund history too,
  /// stands here as often; see `outcomeID`.
  var decisions: [CaseOutcome] = []
  /// Ids of our Outcome events.
  var outcomes: [String] = []
  /// By bundle id: it may be stated before the first notification says whose purchase it is.
  var evidences: [String: EvidenceState] = [:]
  /// When renewal was switched on and off, by the instant Apple signed it.
  var renewals: [RenewalChange] = []
  /// What people did with it, in order.
  var reviews: [Review] = []

  init(_ key: PurchaseKey) {
    environment = key.environment
    transactionID = key.transactionID
  }

  /// - Precondition: made from a key, which was checked then.
  var key: PurchaseKey { try! PurchaseKey(environment: environment, transactionID: transactionID) }
  var stream: StreamName { StreamName(key.stream) }

  /// Pseudonym of the customer: by the purchase's own account token, else by the backend's link; nil where nobody knows.
  var customer: String? { tokenCustomer?.value ?? app.flatMap { links[$0]?.value } }

  /// What was stated of it for its app.
  var evidence: EvidenceState { evidence(of: app) }

  func evidence(of app: String?) -> EvidenceState { app.flatMap { evidences[$0] } ?? EvidenceState() }

  /// The original purchase, where that is another one.
  var originalKey: PurchaseKey? {
    guard let id = purchase?.originalTransactionID, id != transactionID else { return nil }
    return try? PurchaseKey(environment: environment, transactionID: id)
  }

  /// What Apple decided last.
  var outcome: CaseOutcome? { decisions.max { $1.isNewer(than: $0) } }

  /// Each decision once, by what told it first.
  var distinctDecisions: [CaseOutcome] {
    var ids: Set<String> = []
    return decisions.filter { ids.insert($0.outcomeID(of: key)).inserted }
  }

  /// The newest refund request that was signed before a decision, or with it; nil where Apple decided without asking.
  func request(before decision: CaseOutcome) -> RefundRequest? {
    requests.last { $0.signedAt <= decision.signedAt }
  }

  /// Whether Apple gave the money back without having asked: for an upgrade, by its own support, on the web. That says
  /// nothing about how good our answers are.
  func isWithoutRequest(_ decision: CaseOutcome) -> Bool {
    decision.kind == .refunded && request(before: decision) == nil
  }

  /// A decision of Apple of which the log has no Outcome.
  var unrecordedDecision: CaseOutcome? { decisions.first { !outcomes.contains($0.outcomeID(of: key)) } }

  /// A call about it is under way, or was when somebody claimed it last.
  var isCalling: Bool { requests.contains { $0.openAttempt != nil } }

  /// Whether something is left to do, now or later.
  var isOpen: Bool { unrecordedDecision != nil || requests.contains { !$0.hasEnded || $0.openAttempt != nil } }

  /// Until when a new fact, consent or word of a person may still change what Apple is told; nil where nothing may.
  var watchedUntil: Int64? {
    requests.filter { $0.withheld == nil }.map { Window($0, environment: environment).closed }.max()
  }

  /// When the first open refund request is due; nil where none is open.
  var due: Int64? { requests.filter { !$0.hasEnded }.map { Window($0, environment: environment).due }.min() }

  /// Number of the newest claim of the purchase.
  var attempts: Int64 { requests.flatMap(\.attempts).map(\.number).max() ?? 0 }

  /// Kinds of notification that make a purchase a case, with or without a subtype.
  static let openingKinds = [
    NotificationType.consumptionRequest, .refund, .refundDeclined, .refundReversed,
  ].map(\.rawValue)

  static func opensCase(kind: String?) -> Bool {
    guard let kind else { return false }
    return openingKinds.contains { opening in
      kind.utf8.starts(with: opening.utf8)
        && (kind.utf8.count == opening.utf8.count || kind.utf8.dropFirst(opening.utf8.count).first == UInt8(ascii: "/"))
    }
  }

  /// Takes the next event of the stream. One of a type that says nothing here, known or not, only moves the version.
  /// - Throws: `ContractError` where the event cannot be read; the state is unchanged then.
  mutating func fold(_ event: RecordedEvent, by upcasters: Upcasters = .released) throws(ContractError) {
    precondition(event.version == version + 1, "the events of a stream are folded one after the other")
    // In place: whatever may not be readable is read before anything is changed.
    if let data = event.data { try fold(event, data, upcasters) }
    version = event.version
  }

  private mutating func fold(
    _ event: RecordedEvent, _ data: [UInt8], _ upcasters: Upcasters
  ) throws(ContractError) {
    guard let type = EventType(rawValue: event.type) else { return }
    let schema = event.schema
    switch type {
    case .notificationReceived: try fold(NotificationReceived(data: data, schema: schema, upcasters: upcasters), event)
    case .evidenceRecorded:
      let recorded = try EvidenceRecorded(data: data, schema: schema, upcasters: upcasters)
      evidences[recorded.bundleID, default: EvidenceState()].fold(recorded, event: event.id.text)
    case .customerLinked:
      let linked = try CustomerLinked(data: data, schema: schema, upcasters: upcasters)
      guard let pseudonym = event.customer else { return }
      links[linked.bundleID] = .newer(
        links[linked.bundleID], Stated(value: pseudonym, at: linked.statedAt, by: linked.by, event: event.id.text))
    case .caseReviewed:
      reviews.append(
        Review(
          try CaseReviewed(data: data, schema: schema, upcasters: upcasters), event: event.id.text,
          at: event.occurredAt, position: event.position.value))
    case .consumptionPrepared:
      let claim = try ConsumptionPrepared(data: data, schema: schema, upcasters: upcasters)
      change(claim.request) {
        $0.attempts.append(
          .init(
            number: claim.attempt, claim: event.id.text, at: event.occurredAt, position: event.position.value,
            sendBy: claim.sendBy,
            body: claim.body, caller: claim.caller))
      }
    case .consumptionSent:
      let sent = try ConsumptionSent(data: data, schema: schema, upcasters: upcasters)
      settle(sent.request, sent.claim, .sent(status: sent.status, at: sent.repliedAt))
    case .consumptionFailed:
      let failed = try ConsumptionFailed(data: data, schema: schema, upcasters: upcasters)
      settle(failed.request, failed.claim, Self.result(of: failed, at: event.occurredAt))
      if failed.failure == .fixAndSend { change(failed.request) { $0.takesNoShare = true } }
    case .consumptionWithheld:
      let withheld = try ConsumptionWithheld(data: data, schema: schema, upcasters: upcasters)
      change(withheld.request) { $0.withheld = .init(reason: withheld.reason.rawValue, at: event.occurredAt) }
    case .outcome:
      let outcome = try Outcome(data: data, schema: schema, upcasters: upcasters)
      outcomes.append(event.id.text)
      if let found = CaseOutcome(outcome, event: event.id.text, position: event.position.value) {
        decisions.append(found)
      }
    default: return
    }
  }

  private mutating func fold(_ notification: NotificationReceived, _ event: RecordedEvent) {
    app = notification.bundleID
    if let named = event.customer {
      let told = Stated(value: named, at: notification.signedDate, by: "App Store", event: event.id.text)
      // Of two signed at one instant the same one counts, whichever came first.
      if tokenCustomer.map({ ($0.at, $0.event) < (told.at, told.event) }) ?? true { tokenCustomer = told }
    }
    if let transaction = notification.notification["data"]?["signedTransactionInfo"], transaction.kind == .object,
      purchase.map({ $0.signedDate <= notification.signedDate }) ?? true
    {
      let told = PurchaseFacts(
        JWSTransactionDecodedPayload(view: transaction), of: notification, event: event.id.text)
      if purchase.map({ $0.isOlder(than: told) }) ?? true { purchase = told }
    }
    if let decision = CaseOutcome(notification, event: event.id.text, position: event.position.value) {
      decisions.append(decision)
    }
    if let change = RenewalChange(notification, event: event.id.text, position: event.position.value) {
      renewals.take(change)
    }
    if NotificationType(rawValue: notification.notificationType) == .consumptionRequest {
      let request = RefundRequest(
        id: event.id.text, signedAt: notification.signedDate, receivedAt: notification.firstReceivedAt,
        reason: notification.notification["data"]?["consumptionRequestReason"]?.string)
      requests.insert(request, at: requests.firstIndex { request.isOlder(than: $0) } ?? requests.endIndex)
    }
  }

  private static func result(of failed: ConsumptionFailed, at: Int64) -> RefundRequest.Result {
    switch failed.failure {
    case .refused, .fixAndSend: .refused(status: failed.status)
    case .unknown: .unknown(retryAt: failed.retryAt ?? 0)
    case .unauthorised: .unauthorised(at: at)
    case .limit: .limited(retryAt: failed.retryAt ?? 0)
    case .passing: .failed(retryAt: failed.retryAt ?? 0)
    }
  }

  private mutating func change(_ request: String, _ body: (inout RefundRequest) -> Void) {
    guard let index = requests.firstIndex(where: { $0.id == request }) else { return }
    body(&requests[index])
  }

  /// A result that comes after `unknown` wins; nothing else is overwritten.
  private mutating func settle(_ request: String, _ claim: String, _ result: RefundRequest.Result) {
    change(request) { request in
      guard let index = request.attempts.firstIndex(where: { $0.claim == claim }) else { return }
      switch request.attempts[index].result {
      case nil, .unknown: request.attempts[index].result = result
      case .sent, .refused, .failed, .limited, .unauthorised: break
      }
    }
  }
}

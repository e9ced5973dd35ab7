import AppStore
import Contracts
import EventLog
import JSON
import Service
import Synchronization
import Testing

@testable import Responder

/// What happens to one purchase, told event by event into a log in memory. Instants are given; nothing is random.
final class Story: Sendable {
  static let bundleID = "com.example.app"
  static let start: Int64 = 1_796_000_000_000
  static let hour: Int64 = 3_600_000
  static let account = "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"
  static let digest = String(repeating: "0", count: 64)

  let key: PurchaseKey
  let log: MemoryEventLog
  private let count = Atomic(0)

  init(
    environment: String = "Production", transactionID: String = "2000000000000001",
    log: MemoryEventLog = Story.memory()
  ) {
    key = try! PurchaseKey(environment: environment, transactionID: transactionID)
    self.log = log
  }

  static func memory(id: String = "00000000-0000-4000-8000-000000000001", now: Int64 = start) -> MemoryEventLog {
    let salts = Atomic(UInt8(0))
    return MemoryEventLog(
      parts: LogParts(
        clock: { now },
        randomBytes: { count in
          [UInt8](repeating: salts.wrappingAdd(1, ordering: .relaxed).newValue, count: count)
        }, newLogID: { id }))
  }

  var stream: StreamName { StreamName(key.stream) }
  var appStream: StreamName { StreamName(Streams.app(Self.bundleID)) }
  var customer: String { log.keyedDigest([Array(Self.bundleID.utf8), Array(Self.account.utf8)]) }
  var customerStream: StreamName { StreamName(Streams.customer(customer)) }

  // MARK: What Apple says

  /// A notification about the purchase.
  /// - Returns: the id of its event.
  @discardableResult
  func notification(
    _ type: String, subtype: String? = nil, uuid: Int? = nil, signedAt: Int64 = start, receivedAt: Int64? = nil,
    account: String? = account, reason: String? = nil, change: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    let number = uuid ?? count.wrappingAdd(1, ordering: .relaxed).newValue
    let digits = String(number)
    let id = "5a000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
    var transaction: JSONObject = [
      "transactionId": .string(key.transactionID), "originalTransactionId": .string(key.transactionID),
      "bundleId": .string(Self.bundleID), "productId": "gems", "type": "Consumable", "quantity": 1,
      "purchaseDate": .number(JSONNumber(Self.start - 24 * Self.hour)), "inAppOwnershipType": "PURCHASED",
      "environment": .string(key.environment), "signedDate": .number(JSONNumber(signedAt)),
      "appTransactionId": .string(appTransactionID),
    ]
    transaction["appAccountToken"] = account.map { .string($0) }
    change(&transaction)
    var data: JSONObject = [
      "bundleId": .string(Self.bundleID), "environment": .string(key.environment),
      "signedTransactionInfo": .object(transaction),
    ]
    data["consumptionRequestReason"] = reason.map { .string($0) }
    var payload: JSONObject = [
      "notificationType": .string(type), "notificationUUID": .string(id), "data": .object(data), "version": "2.0",
      "signedDate": .number(JSONNumber(signedAt)),
    ]
    payload["subtype"] = subtype.map { .string($0) }
    let bytes = NotificationReceived.data(
      bundleID: Self.bundleID, environment: key.environment, firstReceivedAt: receivedAt ?? signedAt,
      notification: JSONValue.object(payload).bytes(), via: .push
    ).bytes
    try add(
      EventDraft(
        id: EventID(EventIDs.notification(id)), stream: stream, type: "NotificationReceived",
        kind: subtype.map { "\(type)/\($0)" } ?? type, environment: key.environment, app: Self.bundleID,
        customer: account.map { log.keyedDigest([Array(Self.bundleID.utf8), Array($0.utf8)]) },
        occurredAt: receivedAt ?? signedAt, signedAt: signedAt, data: bytes))
    return EventIDs.notification(id)
  }

  /// Each purchase is made under an app transaction of its own.
  var appTransactionID: String { "70\(key.transactionID)" }

  /// A parent takes back consent to a child's use of the app, under the purchase's app transaction.
  /// - Returns: the id of its event.
  @discardableResult
  func rescind(uuid: Int? = nil, signedAt: Int64 = start, environment: String? = nil, named: Bool = true) throws
    -> String
  {
    let number = uuid ?? count.wrappingAdd(1, ordering: .relaxed).newValue
    let digits = String(number)
    let id = "5c000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
    var transaction: JSONObject = ["bundleId": .string(Self.bundleID)]
    if named { transaction["appTransactionId"] = .string(appTransactionID) }
    let payload: JSONValue = [
      "notificationType": "RESCIND_CONSENT", "notificationUUID": .string(id), "version": "2.0",
      "signedDate": .number(JSONNumber(signedAt)),
      "appData": ["bundleId": .string(Self.bundleID), "signedAppTransactionInfo": .object(transaction)],
    ]
    let environment = environment ?? key.environment
    let bytes = NotificationReceived.data(
      bundleID: Self.bundleID, environment: environment, firstReceivedAt: signedAt, notification: payload.bytes(),
      via: .push
    ).bytes
    try add(
      EventDraft(
        id: EventID(EventIDs.notification(id)), stream: appStream, type: "NotificationReceived",
        kind: "RESCIND_CONSENT", environment: environment, app: Self.bundleID, occurredAt: signedAt,
        signedAt: signedAt, data: bytes))
    return EventIDs.notification(id)
  }

  /// A DID_CHANGE_RENEWAL_STATUS without a subtype: only the renewal's own state tells which way.
  func renewalStatus(_ status: Int64, signedAt: Int64) throws {
    let uuid = "5b000000-0000-4000-8000-00" + String(signedAt % 10_000_000_000)
    let payload: JSONValue = [
      "notificationType": "DID_CHANGE_RENEWAL_STATUS", "notificationUUID": .string(uuid), "version": "2.0",
      "signedDate": .number(JSONNumber(signedAt)),
      "data": ["signedRenewalInfo": ["autoRenewStatus": .number(JSONNumber(status))]],
    ]
    let bytes = NotificationReceived.data(
      bundleID: Self.bundleID, environment: key.environment, firstReceivedAt: signedAt, notification: payload.bytes(),
      via: .push
    ).bytes
    try add(
      EventDraft(
        id: EventID(EventIDs.notification(uuid)), stream: stream, type: "NotificationReceived",
        kind: "DID_CHANGE_RENEWAL_STATUS", environment: key.environment, app: Self.bundleID, occurredAt: signedAt,
        signedAt: signedAt, data: bytes))
  }

  /// A CONSUMPTION_REQUEST.
  @discardableResult
  func request(
    signedAt: Int64 = start, receivedAt: Int64? = nil, account: String? = account,
    change: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    try notification(
      "CONSUMPTION_REQUEST", signedAt: signedAt, receivedAt: receivedAt, account: account,
      reason: "UNINTENDED_PURCHASE", change: change)
  }

  // MARK: What the backend says

  @discardableResult
  func consent(_ granted: Bool, statedAt: Int64 = start - hour, account: String = account) throws -> String {
    let customer = log.keyedDigest([Array(Self.bundleID.utf8), Array(account.utf8)])
    return try add(
      ConsentRecorded(
        bundleID: Self.bundleID, account: account, granted: granted, textVersion: "1", textDigest: Self.digest,
        channel: ChannelWord("app"), statedAt: statedAt), .consent, to: StreamName(Streams.customer(customer)),
      customer: customer)
  }

  @discardableResult
  func evidence(_ values: EvidenceValues, statedAt: Int64 = start - hour, of key: PurchaseKey? = nil) throws -> String {
    try evidence(.values(values), statedAt: statedAt, of: key)
  }

  @discardableResult
  func evidence(_ statement: EvidenceStatement, statedAt: Int64 = start - hour, of other: PurchaseKey? = nil) throws
    -> String
  {
    let key = other ?? key
    return try add(
      EvidenceRecorded(
        bundleID: Self.bundleID, purchase: key, statedAt: statedAt, by: "backend", statement: statement), .evidence,
      to: StreamName(key.stream))
  }

  /// Delivered, without a sample before.
  static let facts = EvidenceValues(deliveryStatus: DeliveryStatusWord("DELIVERED"), sampleContentProvided: false)

  static func facts(share: Int64) -> EvidenceValues {
    var values = facts
    values.consumptionPercentage = share
    return values
  }

  /// The backend's word whose purchase it is.
  @discardableResult
  func link(_ account: String = account, statedAt: Int64 = start - hour, app: String = bundleID) throws -> String {
    try add(
      CustomerLinked(bundleID: app, purchase: key, account: account, statedAt: statedAt, by: "backend"), .link,
      to: stream, customer: log.keyedDigest([Array(app.utf8), Array(account.utf8)]))
  }

  // MARK: What people say

  @discardableResult
  func review(
    _ act: CaseReviewed.Act, preference: String? = nil, note: String? = nil, until: Int64? = nil, all: Bool? = nil
  ) throws -> String {
    try add(
      CaseReviewed(
        act: act, by: "mia", refundPreference: preference.map { RefundPreferenceWord($0) }, note: note, until: until,
        all: all),
      .review, to: stream)
  }

  // MARK: What the operator says

  @discardableResult
  func acceptedTexts(_ versions: String...) throws -> String {
    try add(AcceptedTextsDeclared(bundleID: Self.bundleID, versions: versions), .accepted, to: appStream)
  }

  @discardableResult
  func policy() throws -> String {
    try add(
      PolicyLoaded(bundleID: Self.bundleID, digest: Self.digest, text: Declarations.defaultPolicy), .policy,
      to: appStream)
  }

  @discardableResult
  func terms(
    effectiveFrom: Int64 = start - 30 * 24 * hour, coversUnidentified: Bool = false,
    kind: ConsentBasisDeclared.Kind = .terms
  ) throws -> String {
    try add(
      ConsentBasisDeclared(
        bundleID: Self.bundleID, kind: kind, textVersion: "7", effectiveFrom: effectiveFrom, optOut: "by mail",
        coversUnidentified: coversUnidentified), .basis, to: appStream)
  }

  @discardableResult
  func statement(_ product: String, _ delivery: String = "DELIVERED", sample: Bool = false) throws -> String {
    try add(
      ProductStatementDeclared(
        bundleID: Self.bundleID, productID: product, deliveryStatus: DeliveryStatusWord(delivery),
        sampleContentProvided: sample, by: "settings"), .statement, to: appStream)
  }

  /// The log was restored from a backup.
  func restored(at: Int64 = start, backupAt: Int64 = start - hour) throws {
    let head = try log.head().position.value
    try add(
      EventDraft(
        LogRestored(backupAt: backupAt, head: head, by: "mia"), id: "restored/\(head)",
        stream: StreamName(Streams.log), app: nil, occurredAt: at))
  }

  func resumed(at: Int64 = start) throws {
    try add(
      EventDraft(
        SendingResumed(by: "mia"), id: "resumed/\(try log.head().position.value)", stream: StreamName(Streams.log),
        app: nil, occurredAt: at))
  }

  // MARK: What we did

  /// The claim of a step, as the loop appends it.
  @discardableResult
  func claim(_ prepared: ConsumptionPrepared) throws -> String {
    let id = EventIDs.claim(key, attempt: prepared.attempt)
    try add(
      EventDraft(
        prepared, id: id, stream: stream, environment: key.environment, app: Self.bundleID,
        occurredAt: prepared.sendBy - 20_000))
    return id
  }

  func sent(_ claim: ConsumptionPrepared, at: Int64 = start) throws {
    let data = ConsumptionSent(
      request: claim.request, claim: EventIDs.claim(key, attempt: claim.attempt), status: 202, sentAt: at,
      repliedAt: at, reply: [])
    try add(
      EventDraft(
        data, id: EventIDs.sent(key, attempt: claim.attempt), stream: stream, app: Self.bundleID, occurredAt: at))
  }

  func failed(_ claim: ConsumptionPrepared, _ failure: ConsumptionFailed.Failure, retryAt: Int64? = nil) throws {
    let data = ConsumptionFailed(
      request: claim.request, claim: EventIDs.claim(key, attempt: claim.attempt), failure: failure, explanation: "told",
      retryAt: retryAt)
    let id =
      failure == .unknown
      ? EventIDs.unknown(key, attempt: claim.attempt) : EventIDs.failed(key, attempt: claim.attempt)
    try add(EventDraft(data, id: id, stream: stream, app: Self.bundleID, occurredAt: 1))
  }

  // MARK: Into the log, and out of it

  @discardableResult
  func add(
    _ data: some EventData, _ prefix: EventIDs.Prefix, to stream: StreamName, customer: String? = nil
  ) throws -> String {
    let version = try log.read(stream: stream, after: 0, limit: 1_000).count + 1
    let id = EventIDs.next(prefix, stream: stream.text, version: Int64(version))
    try add(EventDraft(data, id: id, stream: stream, app: Self.bundleID, customer: customer, occurredAt: Self.start))
    return id
  }

  func add(_ draft: EventDraft) throws { _ = try log.append([draft]) }

  /// The case, folded from its stream.
  func state(of other: PurchaseKey? = nil) throws -> CaseState {
    var state = CaseState(other ?? key)
    for event in try log.read(stream: state.stream, after: 0, limit: 1_000) { try state.fold(event) }
    return state
  }

  /// The judge as the loop would make it now.
  func judge(at now: Int64 = start, claimant: String = "test") throws -> CaseJudge {
    let state = try state()
    var customer: CustomerState?
    if let id = state.customer {
      customer = CustomerState()
      for event in try log.read(stream: StreamName(Streams.customer(id)), after: 0, limit: 1_000) {
        try customer?.fold(event)
      }
    }
    var app = AppState()
    for event in try log.read(stream: appStream, after: 0, limit: 1_000) { try app.fold(event) }
    let original = try state.originalKey.map { try self.state(of: $0) }
    let rescission = try log.read(stream: appStream, after: 0, limit: 1_000).compactMap { try Rescission($0) }
      .filter {
        $0.environment == state.environment && $0.appTransactionID == state.purchase?.appTransactionID
      }.max { ($0.signedAt, $0.event) < ($1.signedAt, $1.event) }
    return CaseJudge(
      state: state, customer: customer, app: app,
      original: original.map { OriginalPurchase($0, app: Self.bundleID) },
      customerStream: state.customer.map { StreamName(Streams.customer($0)) }, appStream: appStream,
      claimant: claimant, now: now, times: ClaimTimes(speed: 1), rescission: rescission,
      sending: try SendingState(in: log))
  }

  func step(at now: Int64 = start) throws -> Step { try judge(at: now).next() }

  /// The claim that comes next.
  func nextClaim(at now: Int64 = start) throws -> Step.Claim {
    let step = try step(at: now)
    guard case .claim(let claim) = step else { throw NoClaim(step: step) }
    return claim
  }

  struct NoClaim: Error { var step: Step }
}

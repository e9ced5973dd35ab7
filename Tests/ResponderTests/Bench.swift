import AppStore
import Contracts
import EventLog
import JSON
import TestSupport

@testable import Responder

/// Events of one purchase, put together as receiver and responder put them, for folding and judging.
struct Bench {
  static let hour: Int64 = 3_600_000
  /// When everything begins: the refund request is signed and received then.
  static let start: Int64 = 1_794_301_200_000
  static let key = try! PurchaseKey(environment: "Production", transactionID: "2000000000000001")
  static let customer = String(repeating: "ab", count: 32)
  static let policy = String(repeating: "0", count: 64)

  var log = MemoryEventLog(
    parts: LogParts(clock: { 0 }, randomBytes: { [UInt8](repeating: 1, count: $0) }, newLogID: { "log" }))
  var state = CaseState(Self.key)
  var customerState: CustomerState? = CustomerState()
  var app: AppState
  var pace = Pace(speed: 1)

  init(productType: String = "Consumable", environment: String = "Production", more: String = "") throws {
    let key = try PurchaseKey(environment: environment, transactionID: Self.key.transactionID)
    state = CaseState(key)
    app = AppState(
      version: 3,
      statements: [
        "*": .init(deliveryStatus: "DELIVERED", sampleContentProvided: false, by: "settings", event: "statement/1")
      ],
      basis: nil, policy: .init(digest: Self.policy, event: "policy/1"))
    try request(productType: productType, more: more)
  }

  // MARK: Events

  mutating func fold(_ data: some EventData, id: String, kind: String? = nil, occurredAt: Int64 = Bench.start) throws {
    let draft = EventDraft(
      id: EventID(id), stream: state.stream, type: type(of: data).type.rawValue, kind: kind,
      environment: state.environment, app: "com.example",
      customer: kind == nil || customerState == nil ? nil : Self.customer, occurredAt: occurredAt, data: data.encoded())
    _ = try log.append([draft])
    try state.fold(log.read(id: draft.id)!)
  }

  mutating func notify(
    _ type: String, uuid: String, signedAt: Int64 = Bench.start, receivedAt: Int64? = nil, subtype: String? = nil,
    transaction: String = "", data: String = ""
  ) throws {
    let text =
      #"{"notificationType":"\#(type)","notificationUUID":"\#(uuid)","#
      + (subtype.map { #""subtype":"\#($0)","# } ?? "")
      + #""data":{"signedTransactionInfo":{"transactionId":"\#(state.transactionID)","productId":"com.example.coins","#
      + #""purchaseDate":\#(Bench.start - 24 * Bench.hour)\#(transaction)}\#(data)},"version":"2.0","signedDate":\#(signedAt)}"#
    let (bytes, _) = NotificationReceived.data(
      bundleID: "com.example", environment: state.environment, firstReceivedAt: receivedAt ?? signedAt,
      notification: text.utf8, via: .push)
    try fold(NotificationReceived(data: bytes), id: "notification/\(uuid)", kind: type)
  }

  mutating func request(
    uuid: String = "r1", signedAt: Int64 = Bench.start, receivedAt: Int64? = nil, productType: String = "Consumable",
    more: String = ""
  ) throws {
    try notify(
      "CONSUMPTION_REQUEST", uuid: uuid, signedAt: signedAt, receivedAt: receivedAt,
      transaction: #","type":"\#(productType)"\#(more)"#)
  }

  mutating func consent(_ granted: Bool = true) {
    customerState?.version += 1
    customerState?.consent = .init(granted: granted, textVersion: "1", statedAt: Bench.start, event: "consent/1")
  }

  mutating func evidence(_ values: EvidenceValues, statedAt: Int64 = Bench.start) throws {
    try fold(
      EvidenceRecorded(
        bundleID: "com.example", purchase: state.key, statedAt: statedAt, by: "backend", statement: .values(values)),
      id: "evidence/\(state.version + 1)")
  }

  mutating func claim(_ prepared: ConsumptionPrepared) throws {
    try fold(prepared, id: EventIDs.claim(state.key, attempt: prepared.attempt))
  }

  mutating func fail(_ failure: ConsumptionFailed.Failure, attempt: Int64 = 1, retryAt: Int64? = nil) throws {
    let claim = EventIDs.claim(state.key, attempt: attempt)
    try fold(
      ConsumptionFailed(
        request: "notification/r1", claim: claim, failure: failure, explanation: "as the test says", retryAt: retryAt),
      id: "failed/\(attempt)/\(state.version)")
  }

  mutating func send(attempt: Int64 = 1) throws {
    try fold(
      ConsumptionSent(
        request: "notification/r1", claim: EventIDs.claim(state.key, attempt: attempt), status: 202,
        sentAt: Bench.start, repliedAt: Bench.start, reply: []), id: "sent/\(attempt)")
  }

  // MARK: Judging

  func judge(at instant: Int64 = Bench.start) -> Step {
    CaseJudge(
      state: state, customer: customerState, app: app, original: nil,
      customerStream: customerState == nil ? nil : StreamName("customer/\(Self.customer)"),
      appStream: StreamName("app/com.example"), claimant: "tests", now: instant, pace: pace
    ).next()
  }

  /// The claim that is due now; nil where another step is.
  func claimed(at instant: Int64 = Bench.start) -> ConsumptionPrepared? {
    guard case .claim(let claim) = judge(at: instant) else { return nil }
    return claim.prepared
  }

  func withheld(at instant: Int64 = Bench.start) -> ConsumptionWithheld.Reason? {
    guard case .withhold(let withheld) = judge(at: instant) else { return nil }
    return withheld.reason
  }
}

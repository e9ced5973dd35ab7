import Contracts
import EventLog
import JSON
import Service
import TestSupport

@testable import Responder

/// A data folder with a log and the projection of it.
final class CaseRig {
  static let start: Int64 = 1_796_000_000_000
  static let hour: Int64 = 3_600_000
  static let bundleID = "com.example.app"
  static let account = "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"

  let folder = TemporaryFolder()
  let log: LocalEventLog
  private let projector: Projector

  init() throws {
    log = try LocalEventLog.open(folder.path, clock: .fixed(Self.start))
    projector = try Projector(log: log, store: CaseStore(folder: folder.path))
  }

  deinit { log.close() }

  /// What `refundlog` says over it, `at` this instant.
  func run(_ words: String..., at now: Int64 = start + hour) throws -> Refundlog {
    while try projector.advance() != nil {}
    return Refundlog(words + ["--data", folder.path], now: now)
  }

  /// A notification about a purchase; its number is that of its UUID.
  @discardableResult
  func notification(
    _ type: String = "CONSUMPTION_REQUEST", number: Int = 1, environment: String = "Production",
    id: String = "2000000000000001", signedAt: Int64 = start, reason: String? = "UNINTENDED_PURCHASE"
  ) throws -> String {
    let uuid = "5a000000-0000-4000-8000-00000000000\(number)"
    let transaction: JSONValue = [
      "transactionId": .string(id), "originalTransactionId": .string(id), "bundleId": .string(Self.bundleID),
      "productId": "gems", "type": "Consumable", "quantity": 2, "price": 9_990, "currency": "USD", "storefront": "USA",
      "purchaseDate": .number(JSONNumber(Self.start - 24 * Self.hour)), "inAppOwnershipType": "PURCHASED",
      "environment": .string(environment), "signedDate": .number(JSONNumber(signedAt)),
      "appAccountToken": .string(Self.account),
    ]
    var data: JSONObject = [
      "bundleId": .string(Self.bundleID), "environment": .string(environment), "signedTransactionInfo": transaction,
    ]
    data["consumptionRequestReason"] = reason.map { .string($0) }
    let payload: JSONValue = [
      "notificationType": .string(type), "notificationUUID": .string(uuid), "data": .object(data), "version": "2.0",
      "signedDate": .number(JSONNumber(signedAt)),
    ]
    let bytes = NotificationReceived.data(
      bundleID: Self.bundleID, environment: environment, firstReceivedAt: signedAt, notification: payload.bytes(),
      via: .push
    ).bytes
    let event = EventIDs.notification(uuid)
    _ = try log.append([
      EventDraft(
        id: EventID(event), stream: StreamName("purchase/\(environment)/\(id)"), type: "NotificationReceived",
        kind: type, environment: environment, app: Self.bundleID, customer: customer, occurredAt: signedAt,
        signedAt: signedAt, data: bytes)
    ])
    return event
  }

  var customer: String { log.keyedDigest([Array(Self.bundleID.utf8), Array(Self.account.utf8)]) }

  /// A call that is out.
  func claimed(_ request: String, id: String = "2000000000000001") throws {
    let key = try PurchaseKey(environment: "Production", transactionID: id)
    let prepared = ConsumptionPrepared(
      request: request, attempt: 1, endpointVersion: 2, body: #"{"customerConsented":true}"#, rule: "default",
      policy: String(repeating: "0", count: 64), basis: "consent/x",
      sources: ["deliveryStatus": "the back end said so"],
      claimant: "c", sendBy: Self.start + 1_000, late: false)
    _ = try log.append([
      EventDraft(
        prepared, id: EventIDs.claim(key, attempt: 1), stream: StreamName(key.stream), app: Self.bundleID,
        occurredAt: Self.start + 5)
    ])
  }

  /// An answer that Apple took.
  func answered(_ request: String, id: String = "2000000000000001") throws {
    try claimed(request, id: id)
    let key = try PurchaseKey(environment: "Production", transactionID: id)
    let sent = ConsumptionSent(
      request: request, claim: EventIDs.claim(key, attempt: 1), status: 202, sentAt: Self.start + 10,
      repliedAt: Self.start + 20, reply: [])
    _ = try log.append([
      EventDraft(
        sent, id: EventIDs.sent(key, attempt: 1), stream: StreamName(key.stream), app: Self.bundleID,
        occurredAt: Self.start + 20)
    ])
  }

  /// The newest events of the purchase's stream.
  func reviews(_ environment: String = "Production", id: String = "2000000000000001") throws -> [RecordedEvent] {
    try log.read(stream: StreamName("purchase/\(environment)/\(id)"), after: 0, limit: 100).filter {
      $0.type == "CaseReviewed"
    }
  }
}

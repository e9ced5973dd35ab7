import AppStore
import Cryptography
import JSON

/// Something that happens at Apple and is told by a notification. Read from a call, carried out when the notification is
/// written.
struct StoreEvent: Sendable {
  static let members = ["notificationType", "subtype", "transaction"] + StoreApp.members

  let kind: EventKind
  let subtype: Subtype?
  let app: StoreApp
  let productId: String?
  let price: Int64?
  /// Of the offer that is redeemed, as they stand in a transaction.
  let offer: JSONObject
  let days: Int64
  let succeededCount: Int64
  let failedCount: Int64
  let appTransactionId: String
  let unclaimSeatIds: [String]
  let externalPurchaseId: String
  /// For those that decide on a refund.
  let decision: Decision?

  /// Reads a call, but for its purchase.
  init(_ call: CallMembers, app standard: StoreApp) throws(ControlError) {
    let type = try call.text("notificationType") ?? ""
    subtype = try call.text("subtype").map { Subtype(rawValue: $0) }
    kind = try EventKind.of(type: type, subtype: subtype?.rawValue)
    try call.refuseOthers(than: Self.members + kind.members)
    if kind.subject == .app, call["transaction"] != nil {
      throw .badRequest("\(type) is not about a purchase, so transaction does not go with it")
    }
    app = try StoreApp(call, or: standard)
    productId = try call.text("productId")
    price = try call.integer("price", in: 0 ... .max)
    var offer: JSONObject = [:]
    offer["offerType"] = try call.integer("offerType", in: 1...4).map { .number(JSONNumber($0)) }
    for key in ["offerIdentifier", "offerDiscountType", "offerPeriod"] {
      offer[key] = try call.text(key).map(JSONValue.string)
    }
    self.offer = offer
    days = try call.integer("days", in: 1...90) ?? 30
    succeededCount = try call.integer("succeededCount", in: 0 ... .max) ?? 1
    failedCount = try call.integer("failedCount", in: 0 ... .max) ?? 0
    appTransactionId = try call.text("appTransactionId") ?? PurchaseTemplate.newAppTransactionId()
    unclaimSeatIds = try call.texts("unclaimSeatIds", max: 1000) ?? [SecureRandom.uuid()]
    // It has no member for the environment: the id's beginning tells it.
    externalPurchaseId =
      try call.text("externalPurchaseId") ?? (app.environment == .sandbox ? "SANDBOX_" : "") + SecureRandom.uuid()
    if let decides = Decision.Kind(rawValue: type) {
      var decision = try Decision(decides, call.object)
      if subtype == .seats {
        guard Decision.refundMembers.allSatisfy({ call[$0] == nil }) else {
          throw .badRequest("a refund of seats leaves no revocation members in the transaction; say how many seats")
        }
        decision.seats = try call.integer("seats", in: 1...1_000_000) ?? 1
      } else if call["seats"] != nil {
        throw .badRequest("seats goes with the subtype SEATS")
      }
      self.decision = decision
    } else {
      decision = nil
    }
  }

  /// Lets it happen.
  /// - Parameter transactionId: what it is about; nil where it is about no purchase.
  /// - Returns: the decoded payload that tells it; nil where the purchase is not there or the book is full.
  func happen(to transactionId: String?, in book: inout Book, now: Int64) -> JSONObject? {
    if kind.subject == .app { return notice(now: now) }
    guard let transactionId, let purchase = book[transactionId] else { return nil }
    if let decision {
      return book.decide(decision, on: transactionId, now: now).map { Notices.decision(decision, $0, in: book) }
    }
    let told =
      kind.subject == .subscription
      ? happen(toSubscriptionOf: purchase, in: &book, now: now) : happen(toPurchase: purchase, in: &book, now: now)
    return told.map { Notices.about($0, kind.type, subtype, in: book) }
  }

  private func happen(toPurchase purchase: Purchase, in book: inout Book, now: Int64) -> Purchase? {
    guard kind.type == .revoke else { return purchase }
    let changed = book.change(purchase.transactionId) { purchase in
      // Only what somebody was given can be taken away so.
      if !purchase.isAssigned { purchase.members["inAppOwnershipType"] = "FAMILY_SHARED" }
      purchase.members["revocationDate"] = .number(JSONNumber(now))
      purchase.members["revocationReason"] = 0
      purchase.members["revocationType"] = purchase.isAssigned ? "ASSIGNMENT_REVOKE" : "FAMILY_REVOKE"
    }
    if purchase.isAutoRenewable {
      book.changeSubscription(of: purchase) { if $0.latest == purchase.transactionId { $0.status = .revoked } }
    }
    return changed
  }

  /// Tells what is about no purchase.
  private func notice(now: Int64) -> JSONObject {
    var content = app.json
    switch kind.type {
    case .rescindConsent:
      var customer: JSONObject = [
        "receiptType": .string(app.environment.rawValue), "bundleId": .string(app.bundleId),
        "applicationVersion": "1", "originalApplicationVersion": "1", "originalPurchaseDate": .number(JSONNumber(now)),
        "appTransactionId": .string(appTransactionId),
      ]
      customer["appAppleId"] = content["appAppleId"]
      content["signedAppTransactionInfo"] = .object(customer)
      return Notices.whole(kind.type, subtype, "appData", content)
    case .unclaimSeats:
      content["unclaimSeatIds"] = .array(unclaimSeatIds.map(JSONValue.string))
      return Notices.whole(kind.type, subtype, "unclaimInfo", content)
    case .externalPurchaseToken:
      content["environment"] = nil
      content["externalPurchaseId"] = .string(externalPurchaseId)
      content["tokenCreationDate"] = .number(JSONNumber(now))
      return Notices.whole(kind.type, subtype, "externalPurchaseToken", content)
    case .renewalExtension:
      content["productId"] = .string(productId ?? "\(app.bundleId).monthly")
      content["requestIdentifier"] = .string(SecureRandom.uuid())
      content["storefrontCountryCodes"] = ["USA"]
      content["succeededCount"] = .number(JSONNumber(succeededCount))
      content["failedCount"] = .number(JSONNumber(failedCount))
      return Notices.whole(kind.type, subtype, "summary", content)
    default: return Notices.whole(kind.type, subtype, "data", content)
    }
  }
}

import AppStore
import Cryptography
import JSON

/// Fills up what a caller says of a purchase to the whole payload of a transaction.
struct PurchaseTemplate: Sendable {
  private static let day: Int64 = 86_400_000

  /// Whose purchase it is where nobody says.
  let app: StoreApp

  /// - Parameters:
  ///   - given: members of a transaction payload; they go over the defaults, and null takes a default away.
  ///   - app: nil for the settings'.
  ///   - type: where `given` names none.
  ///   - purchasedAt: milliseconds since 1970 UTC.
  /// - Throws: a sentence about the member that cannot be.
  func purchase(
    _ transactionId: String, given: JSONObject, app: StoreApp? = nil, type standard: ProductType = .consumable,
    purchasedAt: Int64
  ) throws(ControlError) -> Purchase {
    let app = app ?? self.app
    guard TransactionID.isWellFormed(transactionId) else {
      throw .badRequest("transactionId is not 1 to 64 ASCII letters, digits, - or _")
    }
    if let stated = given["transactionId"], stated.string != transactionId {
      throw .badRequest("the member transactionId is not the text \(transactionId)")
    }
    for key in ["type", "environment", "bundleId", "productId", "inAppOwnershipType"] {
      if let value = given[key], value.string == nil { throw .badRequest("the member \(key) is not a text") }
    }
    let types = ["Auto-Renewable Subscription", "Non-Consumable", "Consumable", "Non-Renewing Subscription"]
    let type = given["type"]?.string ?? standard.rawValue
    guard types.contains(type) else {
      throw .badRequest("type is \"\(type.prefix(60))\"; allowed are \(types.joined(separator: ", "))")
    }
    var members = defaults(transactionId, app: app, type: type, purchasedAt: purchasedAt)
    members.merge(given)
    let isOfApp = members["bundleId"]?.string == app.bundleId
    return Purchase(transactionId: transactionId, members: members, appAppleId: isOfApp ? app.appAppleId : nil)
  }

  /// As if it had been bought a day ago.
  func purchase(
    _ transactionId: String, given: JSONObject, app: StoreApp? = nil, type: ProductType = .consumable, now: Int64
  ) throws(ControlError) -> Purchase {
    try purchase(transactionId, given: given, app: app, type: type, purchasedAt: now - Self.day)
  }

  /// A number of the length that the sandbox gives out.
  static func newTransactionId() -> String { "2000" + digits(12) }

  /// A number as customers have one for each app.
  static func newAppTransactionId() -> String { "7" + digits(17) }

  private func defaults(
    _ transactionId: String, app: StoreApp, type: String, purchasedAt: Int64
  ) -> JSONObject {
    let purchased = JSONValue.number(JSONNumber(purchasedAt))
    var members: JSONObject = [
      "transactionId": .string(transactionId), "originalTransactionId": .string(transactionId),
      "bundleId": .string(app.bundleId), "productId": .string("\(app.bundleId).\(Self.product(type))"),
      "purchaseDate": purchased, "originalPurchaseDate": purchased, "quantity": 1, "type": .string(type),
      "appAccountToken": .string(SecureRandom.uuid()), "inAppOwnershipType": "PURCHASED",
      "environment": .string(app.environment.rawValue), "transactionReason": "PURCHASE", "storefront": "USA",
      "storefrontId": "143441", "price": 4990, "currency": "USD",
      "appTransactionId": .string(Self.newAppTransactionId()),
    ]
    if type == ProductType.autoRenewableSubscription.rawValue {
      members["webOrderLineItemId"] = .string(Self.newTransactionId())
      members["subscriptionGroupIdentifier"] = "20000001"
      members["expiresDate"] = .number(JSONNumber(purchasedAt + 30 * Self.day))
    }
    return members
  }

  private static func product(_ type: String) -> String {
    switch type {
    case "Consumable": "coins"
    case "Non-Consumable": "unlock"
    case "Non-Renewing Subscription": "pass"
    default: "monthly"
    }
  }

  private static func digits(_ count: Int) -> String {
    String(decoding: SecureRandom.bytes(count).map { 0x30 + $0 % 10 }, as: UTF8.self)
  }
}

import AppStore
import Cryptography
import JSON

/// Fills up what a caller says of a purchase to the whole payload of a transaction.
struct PurchaseTemplate: Sendable {
  private static let day: Int64 = 86_400_000

  let bundleId: String
  let environment: ServerEnvironment

  /// - Parameters:
  ///   - given: members of a transaction payload; they go over the defaults, and null takes a default away.
  ///   - now: milliseconds since 1970 UTC.
  /// - Throws: a sentence about the member that cannot be.
  func purchase(_ transactionId: String, given: JSONObject, now: Int64) throws(ControlError) -> Purchase {
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
    let type = given["type"]?.string ?? "Consumable"
    guard types.contains(type) else {
      throw .badRequest("type is \"\(type.prefix(60))\"; allowed are \(types.joined(separator: ", "))")
    }
    var members = defaults(transactionId, type: type, now: now)
    members.merge(given)
    return Purchase(transactionId: transactionId, members: members)
  }

  /// A number of the length that the sandbox gives out.
  static func newTransactionId() -> String { "2000" + digits(12) }

  private func defaults(_ transactionId: String, type: String, now: Int64) -> JSONObject {
    let purchased = JSONValue.number(JSONNumber(now - Self.day))
    var members: JSONObject = [
      "transactionId": .string(transactionId), "originalTransactionId": .string(transactionId),
      "bundleId": .string(bundleId), "productId": .string("\(bundleId).\(Self.product(type))"),
      "purchaseDate": purchased, "originalPurchaseDate": purchased, "quantity": 1, "type": .string(type),
      "appAccountToken": .string(SecureRandom.uuid()), "inAppOwnershipType": "PURCHASED",
      "environment": .string(environment.rawValue), "transactionReason": "PURCHASE", "storefront": "USA",
      "storefrontId": "143441", "price": 4990, "currency": "USD", "appTransactionId": .string("7" + Self.digits(17)),
    ]
    if type == ProductType.autoRenewableSubscription.rawValue {
      members["webOrderLineItemId"] = .string("2000" + Self.digits(12))
      members["subscriptionGroupIdentifier"] = "20000001"
      members["expiresDate"] = .number(JSONNumber(now + 29 * Self.day))
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

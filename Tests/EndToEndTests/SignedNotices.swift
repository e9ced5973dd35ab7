import AppStore
import AppStoreSimulator
import JSON
import Service

/// Notifications as the App Store signs them, of one app.
struct SignedNotices: Sendable {
  let store: StoreIdentity
  var bundleID = Installation.bundleID
  var environment = "Sandbox"

  /// A transaction's payload: a consumable of somebody known, bought a day before `signedAt`.
  func transaction(_ id: String, signedAt: Int64, _ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
    let bought = JSONValue.number(JSONNumber(signedAt - 86_400_000))
    var object: JSONObject = [
      "transactionId": .string(id), "originalTransactionId": .string(id), "bundleId": .string(bundleID),
      "productId": "com.example.coins.1000", "type": "Consumable", "quantity": 1, "purchaseDate": bought,
      "originalPurchaseDate": bought, "inAppOwnershipType": "PURCHASED", "environment": .string(environment),
      "signedDate": .number(JSONNumber(signedAt)), "price": 9_990, "currency": "USD", "storefront": "USA",
      "appAccountToken": "7e3fb204-2e31-4a3c-9c1d-5d3d3f0b9a11",
    ]
    change(&object)
    return object
  }

  /// The token of a notification about it.
  func token(
    _ type: String, subtype: String? = nil, uuid: String, signedAt: Int64, _ transaction: JSONObject
  ) -> [UInt8] {
    func signed(_ object: JSONObject) -> [UInt8] { store.signing.sign(JSONValue.object(object).bytes()) }
    var data: JSONObject = [
      "bundleId": .string(bundleID), "appAppleId": 1_470_168_111, "environment": .string(environment),
      "signedTransactionInfo": .string(String(decoding: signed(transaction), as: UTF8.self)),
    ]
    if type == "CONSUMPTION_REQUEST" { data["consumptionRequestReason"] = "UNINTENDED_PURCHASE" }
    var payload: JSONObject = [
      "notificationType": .string(type), "notificationUUID": .string(uuid), "version": "2.0",
      "signedDate": .number(JSONNumber(signedAt)), "data": .object(data),
    ]
    payload["subtype"] = subtype.map { .string($0) }
    return signed(payload)
  }

  /// A UUID with a number in it, so that a log can be read.
  static func uuid(_ kind: Int, _ number: Int) -> String {
    func hex(_ value: Int, _ digits: Int) -> String {
      let text = String(value, radix: 16)
      return String(repeating: "0", count: digits - text.count) + text
    }
    return "\(hex(kind, 8))-0000-4000-8000-\(hex(number, 12))"
  }
}

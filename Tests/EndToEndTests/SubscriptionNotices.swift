import AppStore
import AppStoreSimulator
import Cryptography
import JSON

/// Notifications of subscriptions as long as Apple's: 18.7 KB, since each of the three tokens carries three
/// certificates. The stand-in's certificates are shorter; a further member of the header makes up for that.
struct SubscriptionNotices: Sendable {
  private let signing: SigningIdentity

  init(store: StoreIdentity) {
    let certificates = store.signing.certificates.map { JSONValue.string(Base64.encode($0.der)) }
    var header: JSONObject = ["alg": "ES256", "x5c": .array(certificates)]
    let length = JSONValue.object(header).bytes().count
    header["kid"] = .string(String(repeating: "k", count: 3_270 - length))
    signing = SigningIdentity(
      header: JSONValue.object(header).bytes(), certificates: store.signing.certificates, key: store.signing.key)
  }

  func token(_ type: String, uuid: String, purchase: Int, signedAt: Int64) -> [UInt8] {
    func instant(_ offset: Int64) -> JSONValue { .number(JSONNumber(signedAt + offset)) }
    func signed(_ object: JSONObject) -> JSONValue {
      .string(String(decoding: signing.sign(JSONValue.object(object).bytes()), as: UTF8.self))
    }
    let id = JSONValue.string(String(2_000_000_000_000_000 + purchase))
    let original = JSONValue.string(String(1_000_000_000_000_000 + purchase))
    let appTransaction = JSONValue.string(String(700_000_000_000_000_000 + purchase))
    let transaction: JSONObject = [
      "transactionId": id, "originalTransactionId": original,
      "webOrderLineItemId": .string(String(3_000_000_000_000_000 + purchase)),
      "bundleId": .string(Installation.bundleID), "productId": "com.example.coins.premium.monthly",
      "subscriptionGroupIdentifier": "21500001", "purchaseDate": instant(-432_000_000),
      "originalPurchaseDate": instant(-8_208_000_000), "expiresDate": instant(2_160_000_000), "quantity": 1,
      "type": "Auto-Renewable Subscription", "appAccountToken": "7e3fb204-2e31-4a3c-9c1d-5d3d3f0b9a11",
      "inAppOwnershipType": "PURCHASED", "signedDate": instant(0), "environment": "Sandbox",
      "transactionReason": "RENEWAL", "storefront": "USA", "storefrontId": "143441", "price": 9_990,
      "currency": "USD", "appTransactionId": appTransaction,
    ]
    let renewal: JSONObject = [
      "originalTransactionId": original, "autoRenewProductId": "com.example.coins.premium.monthly",
      "productId": "com.example.coins.premium.monthly", "autoRenewStatus": 1, "renewalPrice": 9_990,
      "currency": "USD", "signedDate": instant(0), "environment": "Sandbox",
      "recentSubscriptionStartDate": instant(-8_208_000_000), "renewalDate": instant(2_160_000_000),
      "appTransactionId": appTransaction, "appAccountToken": "7e3fb204-2e31-4a3c-9c1d-5d3d3f0b9a11",
    ]
    let data: JSONObject = [
      "appAppleId": 1_470_168_111, "bundleId": .string(Installation.bundleID), "bundleVersion": "412",
      "environment": "Sandbox", "signedTransactionInfo": signed(transaction), "signedRenewalInfo": signed(renewal),
      "status": 1,
    ]
    return signing.sign(
      JSONValue.object([
        "notificationType": .string(type), "notificationUUID": .string(uuid), "data": .object(data),
        "version": "2.0", "signedDate": instant(0),
      ]).bytes())
  }
}

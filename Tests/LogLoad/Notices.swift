import Cryptography
import EventLog

/// Notifications as they stand in the log once they are taken apart: a subscription's, of about 2 KB with their seams,
/// 18.7 KB as Apple posts them. The bytes of the signatures are drawn; no log looks at them.
struct Notices: Sendable {
  static let bundleID = "com.example.app"

  /// As long as the header with Apple's three certificates.
  let header: [UInt8]
  private let headerDigest: [UInt8]

  init() {
    var random = SplitMix(seed: 5)
    let entries = [1_100, 780, 590].map { "\"\(Base64.encode(random.bytes($0)))\"" }
    header = Array("{\"alg\":\"ES256\",\"x5c\":[\(entries.joined(separator: ","))]}".utf8)
    headerDigest = SHA256.digest(of: header).bytes
  }

  /// - Parameters:
  ///   - purchase: number of the purchase it is about.
  ///   - signedAt: milliseconds since 1970, UTC.
  ///   - random: the id and the signatures are drawn from it.
  func draft(
    _ type: String, purchase: Int, signedAt: Int64, occurredAt: Int64, random: inout SplitMix
  ) -> EventDraft {
    let uuid = Self.uuid(&random)
    let transactionID = Self.transactionID(of: purchase)
    let originalID = String(1_000_000_000_000_000 + purchase)
    let appTransactionID = String(700_000_000_000_000_000 + purchase)
    var owner = SplitMix(seed: UInt64(purchase))
    let account = Self.uuid(&owner)
    let reason = type == "CONSUMPTION_REQUEST" ? "\"consumptionRequestReason\":\"UNINTENDED_PURCHASE\"," : ""
    var data: [UInt8] = []
    data.reserveCapacity(2_300)
    func add(_ text: String) { data.append(contentsOf: text.utf8) }
    add("{\"bundleId\":\"\(Self.bundleID)\",\"environment\":\"Production\",\"firstReceivedAt\":\(signedAt),")
    add("\"notification\":")
    let outer = data.count
    add("{\"notificationType\":\"\(type)\",\"notificationUUID\":\"\(uuid)\",\"data\":{\"appAppleId\":1470168111,")
    add("\"bundleId\":\"\(Self.bundleID)\",\"bundleVersion\":\"412\",\(reason)\"environment\":\"Production\",")
    add("\"signedTransactionInfo\":")
    let transaction = data.count
    add("{\"transactionId\":\"\(transactionID)\",\"originalTransactionId\":\"\(originalID)\",")
    add("\"webOrderLineItemId\":\"\(3_000_000_000_000_000 + purchase)\",\"bundleId\":\"\(Self.bundleID)\",")
    add("\"productId\":\"com.example.app.premium.monthly\",\"subscriptionGroupIdentifier\":\"21500001\",")
    add("\"purchaseDate\":\(signedAt - 432_000_000),\"originalPurchaseDate\":\(signedAt - 8_208_000_000),")
    add("\"expiresDate\":\(signedAt + 2_160_000_000),\"quantity\":1,\"type\":\"Auto-Renewable Subscription\",")
    add("\"appAccountToken\":\"\(account)\",\"inAppOwnershipType\":\"PURCHASED\",\"signedDate\":\(signedAt),")
    add("\"environment\":\"Production\",\"transactionReason\":\"RENEWAL\",\"storefront\":\"USA\",")
    if type == "REFUND" { add("\"revocationDate\":\(signedAt),\"revocationReason\":0,") }
    add("\"storefrontId\":\"143441\",\"price\":9990,\"currency\":\"USD\",\"appTransactionId\":\"\(appTransactionID)\"}")
    let transactionEnd = data.count
    add(",\"signedRenewalInfo\":")
    let renewal = data.count
    add("{\"originalTransactionId\":\"\(originalID)\",\"autoRenewProductId\":\"com.example.app.premium.monthly\",")
    add("\"productId\":\"com.example.app.premium.monthly\",\"autoRenewStatus\":1,\"renewalPrice\":9990,")
    add("\"currency\":\"USD\",\"signedDate\":\(signedAt),\"environment\":\"Production\",")
    add("\"recentSubscriptionStartDate\":\(signedAt - 8_208_000_000),\"renewalDate\":\(signedAt + 2_160_000_000),")
    add("\"appTransactionId\":\"\(appTransactionID)\",\"appAccountToken\":\"\(account)\"}")
    let renewalEnd = data.count
    add(",\"status\":1},\"version\":\"2.0\",\"signedDate\":\(signedAt)}")
    let outerEnd = data.count
    add(",\"via\":\"push\"}")
    let tokens = [outer..<outerEnd, transaction..<transactionEnd, renewal..<renewalEnd].map {
      Seams.Token(header: 0, payload: $0, signature: random.bytes(64))
    }
    return EventDraft(
      id: EventID("notification/\(uuid)"), stream: StreamName("purchase/Production/\(transactionID)"),
      type: "NotificationReceived", kind: type, environment: "Production", app: Self.bundleID,
      customer: Hex.encode(owner.bytes(32)), occurredAt: occurredAt, signedAt: signedAt, data: data,
      seams: Seams(.spliced(headerDigests: [headerDigest], tokens: tokens)), headers: [header])
  }

  static func transactionID(of purchase: Int) -> String { String(2_000_000_000_000_000 + purchase) }

  static func uuid(_ random: inout SplitMix) -> String {
    var bytes = random.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text: [UInt8] = []
    for (index, digit) in Hex.encode(bytes).utf8.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

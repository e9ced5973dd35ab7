import AppStore
import JSON

/// An auto-renewable subscription as of now, over all its periods: what renewal info and `status` tell.
/// Source: App Store Server API, «JWSRenewalInfoDecodedPayload» and «status».
struct Subscription: Equatable, Sendable {
  /// The transaction of its newest period.
  var latest: String
  /// When the newest row of periods without a gap began.
  var began: JSONValue?
  var status = SubscriptionStatus.active
  var renews = true
  /// What it renews as; nil for what it is.
  var renewalProductId: String?
  /// What it renews at; nil for what it costs now.
  var renewalPrice: Int64?
  var expirationIntent: ExpirationIntent?
  var isInBillingRetryPeriod: Bool?
  var gracePeriodExpiresDate: Int64?
  /// 0 while the customer has not answered, 1 afterwards.
  var priceIncreaseStatus: Int64?

  /// A running one, as a purchase shows it that nothing else is known of.
  init(of purchase: Purchase) {
    latest = purchase.transactionId
    began = purchase.members["purchaseDate"]
  }

  /// A new period that is paid for ends whatever was wrong.
  mutating func begin(_ period: Purchase) {
    let wasRunning = status == .active || status == .gracePeriod
    latest = period.transactionId
    if !wasRunning { began = period.members["purchaseDate"] }
    status = .active
    renewalProductId = nil
    renewalPrice = nil
    expirationIntent = nil
    isInBillingRetryPeriod = nil
    gracePeriodExpiresDate = nil
    priceIncreaseStatus = nil
  }

  /// The members of its renewal info.
  /// - Parameter period: its newest.
  func renewalInfo(_ period: Purchase) -> JSONObject {
    var info: JSONObject = [:]
    info["expirationIntent"] = expirationIntent.map { .number(JSONNumber($0.rawValue)) }
    info["originalTransactionId"] = .string(period.originalTransactionId)
    info["autoRenewProductId"] = renewalProductId.map(JSONValue.string) ?? period.members["productId"]
    info["autoRenewStatus"] = renews ? 1 : 0
    info["isInBillingRetryPeriod"] = isInBillingRetryPeriod.map(JSONValue.bool)
    info["priceIncreaseStatus"] = priceIncreaseStatus.map { .number(JSONNumber($0)) }
    info["gracePeriodExpiresDate"] = gracePeriodExpiresDate.map { .number(JSONNumber($0)) }
    for key in [
      "productId", "environment", "appAccountToken", "appTransactionId", "offerType", "offerIdentifier",
      "offerDiscountType", "offerPeriod", "advancedCommerceInfo",
    ] {
      info[key] = period.members[key]
    }
    info["recentSubscriptionStartDate"] = began
    info["renewalDate"] = period.members["expiresDate"]
    // Apple leaves price and currency out where nothing is renewed.
    if renews {
      info["currency"] = period.members["currency"]
      info["renewalPrice"] = renewalPrice.map { .number(JSONNumber($0)) } ?? period.members["price"]
    }
    return info
  }
}

public import JSON

/// What will happen to a subscription; it names no bundle id. Source: App Store Server API,
/// «JWSRenewalInfoDecodedPayload».
public struct JWSRenewalInfoDecodedPayload: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var expirationIntent: ExpirationIntent? { number("expirationIntent") }
  public var originalTransactionId: String? { text("originalTransactionId") }
  public var autoRenewProductId: String? { text("autoRenewProductId") }
  public var productId: String? { text("productId") }
  public var autoRenewStatus: AutoRenewStatus? { number("autoRenewStatus") }
  public var isInBillingRetryPeriod: Bool? { flag("isInBillingRetryPeriod") }
  public var priceIncreaseStatus: Int64? { integer("priceIncreaseStatus") }
  public var gracePeriodExpiresDate: Int64? { integer("gracePeriodExpiresDate") }
  public var offerType: OfferType? { number("offerType") }
  public var offerIdentifier: String? { text("offerIdentifier") }
  public var offerDiscountType: OfferDiscountType? { word("offerDiscountType") }
  public var offerPeriod: String? { text("offerPeriod") }
  public var signedDate: Int64? { integer("signedDate") }
  public var environment: Environment? { word("environment") }
  public var recentSubscriptionStartDate: Int64? { integer("recentSubscriptionStartDate") }
  public var renewalDate: Int64? { integer("renewalDate") }
  public var currency: String? { text("currency") }
  /// Thousandths of the currency's unit.
  public var renewalPrice: Int64? { integer("renewalPrice") }
  public var appAccountToken: String? { text("appAccountToken") }
  public var appTransactionId: String? { text("appTransactionId") }
  public var advancedCommerceInfo: AdvancedCommerceInfo? { part("advancedCommerceInfo") }
  public var commitmentInfo: CommitmentInfo? { part("commitmentInfo") }
  public var renewalBillingPlanType: BillingPlanType? { word("renewalBillingPlanType") }

  public var eligibleWinBackOfferIds: [String] {
    (view["eligibleWinBackOfferIds"]?.elements ?? []).compactMap(\.string)
  }

  /// The app's token for the customer, lower case; nil where none was set, also where it is the all-zero UUID.
  public var accountToken: String? { AccountToken.normalized(appAccountToken) }

  /// Members that Apple has added since, in order of appearance.
  public var unknownMembers: [(key: String, value: JSONView)] { members(outside: Self.knownMembers) }

  private static let knownMembers: Set<String> = [
    "expirationIntent", "originalTransactionId", "autoRenewProductId", "productId", "autoRenewStatus",
    "isInBillingRetryPeriod", "priceIncreaseStatus", "gracePeriodExpiresDate", "offerType", "offerIdentifier",
    "offerDiscountType", "offerPeriod", "signedDate", "environment", "recentSubscriptionStartDate", "renewalDate",
    "currency", "renewalPrice", "appAccountToken", "appTransactionId", "advancedCommerceInfo", "commitmentInfo",
    "renewalBillingPlanType", "eligibleWinBackOfferIds",
  ]
}

public import JSON

/// One purchase. Instants are milliseconds since 1970 UTC. Source: App Store Server API,
/// «JWSTransactionDecodedPayload».
public struct JWSTransactionDecodedPayload: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  /// The id for every call about a refund; text, though it looks like a number.
  public var transactionId: String? { text("transactionId") }
  /// The same for all renewals; never to be sent where `transactionId` belongs.
  public var originalTransactionId: String? { text("originalTransactionId") }
  public var webOrderLineItemId: String? { text("webOrderLineItemId") }
  /// Per customer and app, since API 1.15; tokens signed before that lack it.
  public var appTransactionId: String? { text("appTransactionId") }
  public var bundleId: String? { text("bundleId") }
  public var productId: String? { text("productId") }
  public var subscriptionGroupIdentifier: String? { text("subscriptionGroupIdentifier") }
  public var type: ProductType? { word("type") }
  public var quantity: Int64? { integer("quantity") }
  public var purchaseDate: Int64? { integer("purchaseDate") }
  public var originalPurchaseDate: Int64? { integer("originalPurchaseDate") }
  public var expiresDate: Int64? { integer("expiresDate") }
  public var signedDate: Int64? { integer("signedDate") }
  /// A UUID in whatever case the app wrote it; the all-zero one means none, see `accountToken`.
  public var appAccountToken: String? { text("appAccountToken") }
  public var inAppOwnershipType: OwnershipType? { word("inAppOwnershipType") }
  public var isUpgraded: Bool? { flag("isUpgraded") }
  public var revocationDate: Int64? { integer("revocationDate") }
  public var revocationReason: RevocationReason? { number("revocationReason") }
  public var revocationType: RevocationType? { word("revocationType") }
  /// 0 to 100000, thousandths of a percent, of the whole quantity.
  public var revocationPercentage: Int64? { integer("revocationPercentage") }
  public var offerType: OfferType? { number("offerType") }
  public var offerIdentifier: String? { text("offerIdentifier") }
  public var offerDiscountType: OfferDiscountType? { word("offerDiscountType") }
  /// A duration as in ISO 8601.
  public var offerPeriod: String? { text("offerPeriod") }
  public var environment: Environment? { word("environment") }
  public var storefront: String? { text("storefront") }
  public var storefrontId: String? { text("storefrontId") }
  public var transactionReason: TransactionReason? { word("transactionReason") }
  /// Thousandths of the currency's unit, for the whole quantity.
  public var price: Int64? { integer("price") }
  public var currency: String? { text("currency") }
  public var previousOriginalTransactionId: String? { text("previousOriginalTransactionId") }
  /// Present for purchases of the Advanced Commerce API only.
  public var advancedCommerceInfo: AdvancedCommerceInfo? { part("advancedCommerceInfo") }
  public var billingPlanType: BillingPlanType? { word("billingPlanType") }
  public var commitmentInfo: CommitmentInfo? { part("commitmentInfo") }
  public var multiSeatInfo: MultiSeatInfo? { part("multiSeatInfo") }
  public var additionalTransactionReason: String? { text("additionalTransactionReason") }

  /// Members that Apple has added since, in order of appearance.
  public var unknownMembers: [(key: String, value: JSONView)] { members(outside: Self.knownMembers) }

  /// The app's token for the customer, lower case; nil where none was set, also where it is the all-zero UUID.
  public var accountToken: String? { AccountToken.normalized(appAccountToken) }

  private static let knownMembers: Set<String> = [
    "transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId", "bundleId", "productId",
    "subscriptionGroupIdentifier", "type", "quantity", "purchaseDate", "originalPurchaseDate", "expiresDate",
    "signedDate", "appAccountToken", "inAppOwnershipType", "isUpgraded", "revocationDate", "revocationReason",
    "revocationType", "revocationPercentage", "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod",
    "environment", "storefront", "storefrontId", "transactionReason", "price", "currency",
    "previousOriginalTransactionId", "advancedCommerceInfo", "billingPlanType", "commitmentInfo", "multiSeatInfo",
    "additionalTransactionReason",
  ]
}

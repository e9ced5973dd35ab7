/// Body of Send Consumption Information, version 1, which Apple takes for purchases of the Advanced Commerce API alone, and
/// there for consumables and auto-renewable subscriptions. It cannot hold what Apple refuses. That the customer consented
/// is not asked here: without consent there is nothing to send. Source: App Store Server API, «ConsumptionRequestV1».
public struct ConsumptionRequestV1: Sendable, Hashable {
  public let productType: ProductType
  public let consumptionStatus: ConsumptionStatus
  public let deliveryStatus: DeliveryStatusV1
  public let sampleContentProvided: Bool
  /// A UUID, lower case; nil is sent as the empty text.
  public let appAccountToken: String?
  public let account: ConsumptionAccount
  /// The only member that may be left out, by nil.
  public let refundPreference: RefundPreferenceV1?

  /// - Parameter appAccountToken: of the purchase; nil, the empty text and the all-zero UUID are none.
  /// - Throws: the first rule that is broken, with its member. The token is never told.
  public init(
    productType: ProductType, consumptionStatus: ConsumptionStatus = .undeclared, deliveryStatus: DeliveryStatusV1,
    sampleContentProvided: Bool, appAccountToken: String?, account: ConsumptionAccount = ConsumptionAccount(),
    refundPreference: RefundPreferenceV1? = nil
  ) throws(ConsumptionRequestError) {
    guard Self.takes(productType) else { throw .productTypeOfVersion1(productType.rawValue) }
    let token = AccountToken.normalized(appAccountToken)
    if let token, !AccountToken.isUUID(token) { throw .accountTokenNotUUID }
    self.productType = productType
    self.consumptionStatus = consumptionStatus
    self.deliveryStatus = deliveryStatus
    self.sampleContentProvided = sampleContentProvided
    self.appAccountToken = token
    self.account = account
    self.refundPreference = refundPreference
  }

  /// Whether Apple takes version 1 for such a product.
  public static func takes(_ type: ProductType) -> Bool {
    switch type {
    case .consumable, .autoRenewableSubscription: true
    case .nonConsumable, .nonRenewingSubscription, .unknown: false
    }
  }

  /// The exact text to send: members in the order of Apple's table, no white space. Equal requests give equal bytes.
  public var body: [UInt8] {
    var text = #"{"customerConsented":true,"consumptionStatus":\#(consumptionStatus.rawValue)"#
    text += #","platform":\#(account.platform.rawValue),"sampleContentProvided":\#(sampleContentProvided)"#
    // Checked to be a UUID: nothing in it has to be escaped.
    text += #","deliveryStatus":\#(deliveryStatus.rawValue),"appAccountToken":"\#(appAccountToken ?? "")""#
    text += #","accountTenure":\#(account.tenure.rawValue),"playTime":\#(account.playTime.rawValue)"#
    text += #","lifetimeDollarsRefunded":\#(account.refunded.rawValue)"#
    text += #","lifetimeDollarsPurchased":\#(account.purchased.rawValue),"userStatus":\#(account.status.rawValue)"#
    if let refundPreference { text += #","refundPreference":\#(refundPreference.rawValue)"# }
    return Array((text + "}").utf8)
  }
}

/// Body of Send Consumption Information, version 2 (App Store Server API 1.19), which cannot hold a combination that
/// Apple refuses. That the customer consented is not asked here: without consent there is nothing to send.
///
/// Where Apple's pages contradict each other the stricter reading holds: a prorated preference without subscription
/// takes a share from 1 to 99999, and an undelivered subscription leaves the share out.
public struct ConsumptionRequest: Sendable, Hashable {
  public let productType: ProductType
  public let deliveryStatus: DeliveryStatus
  public let sampleContentProvided: Bool
  /// Nil leaves the member out, which differs from 0.
  public let consumptionPercentage: ConsumptionPercentage?
  /// Nil leaves the member out: no preference.
  public let refundPreference: RefundPreference?

  /// - Throws: the first rule that is broken, with its member.
  public init(
    productType: ProductType, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool,
    consumptionPercentage: ConsumptionPercentage? = nil, refundPreference: RefundPreference? = nil
  ) throws(ConsumptionRequestError) {
    switch productType {
    case .autoRenewableSubscription:
      if let consumptionPercentage { throw .percentageOnSubscription(consumptionPercentage.milliunits) }
    case .consumable, .nonConsumable, .nonRenewingSubscription:
      if let consumptionPercentage, consumptionPercentage > .none, !deliveryStatus.isDelivered {
        throw .percentageOnUndelivered(consumptionPercentage.milliunits, deliveryStatus)
      }
      if refundPreference == .grantProrated {
        guard let consumptionPercentage, consumptionPercentage > .none, consumptionPercentage < .all else {
          throw .proratedWithoutShare(consumptionPercentage?.milliunits)
        }
      }
    case .unknown(let type):
      guard consumptionPercentage == nil else { throw .unknownProductType(type, member: "consumptionPercentage") }
      guard refundPreference != .grantProrated else { throw .unknownProductType(type, member: "refundPreference") }
    }
    self.productType = productType
    self.deliveryStatus = deliveryStatus
    self.sampleContentProvided = sampleContentProvided
    self.consumptionPercentage = consumptionPercentage
    self.refundPreference = refundPreference
  }

  /// The exact text to send: members in the order of Apple's table, no white space. Equal requests give equal bytes.
  public var body: [UInt8] {
    var text = #"{"customerConsented":true,"sampleContentProvided":\#(sampleContentProvided)"#
    text += #","deliveryStatus":"\#(deliveryStatus.rawValue)""#
    if let consumptionPercentage { text += #","consumptionPercentage":\#(consumptionPercentage.milliunits)"# }
    if let refundPreference { text += #","refundPreference":"\#(refundPreference.rawValue)""# }
    return Array((text + "}").utf8)
  }
}

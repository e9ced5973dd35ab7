/// Whether the customer got what was bought. Source: App Store Server API, «deliveryStatus» of version 2.
public enum DeliveryStatus: String, Sendable, Hashable, CaseIterable {
  case delivered = "DELIVERED"
  case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
  case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
  case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
  case undeliveredOther = "UNDELIVERED_OTHER"

  public var isDelivered: Bool { self == .delivered }
}

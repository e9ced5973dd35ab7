/// Whether the customer got what was bought, as a number. Source: App Store Server API, «deliveryStatus» of version 1.
public enum DeliveryStatusV1: Int64, Sendable, Hashable, CaseIterable {
  case delivered = 0
  case qualityIssue = 1
  case wrongItem = 2
  case serverOutage = 3
  /// The game's own currency was changed; version 2 has no word for it.
  case currencyChange = 4
  case other = 5

  public init(_ status: DeliveryStatus) {
    self =
      switch status {
      case .delivered: .delivered
      case .undeliveredQualityIssue: .qualityIssue
      case .undeliveredWrongItem: .wrongItem
      case .undeliveredServerOutage: .serverOutage
      case .undeliveredOther: .other
      }
  }
}

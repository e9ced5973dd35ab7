extension NotificationType {
  /// Whether a notification of this type opens a case or ends one; each of them is about one transaction.
  public var isAboutRefund: Bool {
    switch self {
    case .consumptionRequest, .refund, .refundDeclined, .refundReversed: true
    default: false
    }
  }
}

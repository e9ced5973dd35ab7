/// Where a token stands.
public enum TokenSlot: String, Sendable, Equatable, CaseIterable {
  /// By itself, or as the notification.
  case outer
  case transaction = "data.signedTransactionInfo"
  case renewalInfo = "data.signedRenewalInfo"
  case appTransaction = "appData.signedAppTransactionInfo"
}

import AppStore

/// That Apple took a transaction back, with a refund or without.
struct Revocation: Codable, Equatable, Sendable {
  /// Apple's revocationDate, milliseconds since 1970, UTC.
  var at: Int64
  /// Apple's word; absent in older data.
  var type: String?
  /// Thousandths of a percent of the whole quantity.
  var percentage: Int64?
  /// Apple's number.
  var reason: Int64?

  /// nil where the transaction stands.
  init?(_ transaction: JWSTransactionDecodedPayload) {
    guard let date = transaction.revocationDate else { return nil }
    at = date
    type = transaction.revocationType?.rawValue
    percentage = transaction.revocationPercentage
    reason = transaction.revocationReason?.rawValue
  }
}

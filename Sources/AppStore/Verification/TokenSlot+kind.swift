import JSON

extension TokenSlot {
  /// The member that tells when a token of this slot was signed.
  var dateMember: String { self == .appTransaction ? "receiptCreationDate" : "signedDate" }

  /// Where the slot's token stands in the payload of a notification; nil for the outer one.
  var path: (object: String, member: String)? {
    switch self {
    case .outer: nil
    case .transaction: ("data", "signedTransactionInfo")
    case .renewalInfo: ("data", "signedRenewalInfo")
    case .appTransaction: ("appData", "signedAppTransactionInfo")
    }
  }

  /// Whether the payload is what belongs in the slot: Apple signs several kinds of payload alike, and a customer has
  /// some of them on a device.
  func checkKind(of payload: JSONView) throws(VerificationRefusal) {
    func refuse(_ explanation: String) -> VerificationRefusal { VerificationRefusal(.payload, explanation) }
    let hasTransactionId = payload["transactionId"] != nil
    switch self {
    case .outer:
      guard payload["notificationType"]?.string != nil else {
        throw refuse(
          hasTransactionId
            ? "this is a transaction, not a notification" : "notificationType is absent: this is no notification")
      }
    case .transaction:
      guard let id = payload["transactionId"]?.string, !id.isEmpty else {
        throw refuse("transactionId is absent: this is no transaction")
      }
    case .renewalInfo:
      guard !hasTransactionId, payload["notificationType"] == nil, payload["receiptType"] == nil else {
        throw refuse("this is a transaction or a notification, not a renewal info")
      }
    case .appTransaction:
      guard payload["receiptType"]?.string != nil, !hasTransactionId else {
        throw refuse("receiptType is absent: this is no app transaction")
      }
    }
  }
}

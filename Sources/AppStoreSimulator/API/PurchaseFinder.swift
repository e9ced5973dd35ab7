import AppStore
import JSON

/// Finds what a call is about, with Apple's errors for what is not there.
struct PurchaseFinder: Sendable {
  let ledger: Ledger
  let signer: NotificationSigner

  /// A purchase that the caller may know of.
  /// - Parameter takesAppTransaction: whether Apple's page names an error of its own for the id of an app transaction.
  func purchase(
    _ id: String, of caller: StoreGate.Caller, takesAppTransaction: Bool = false, missing: StoreError
  ) throws(StoreError) -> Purchase {
    guard TransactionID.isWellFormed(id) else { throw .invalidTransactionId }
    guard let purchase = ledger.purchase(id, of: caller) else {
      throw takesAppTransaction && ledger.isAppTransactionId(id) ? .appTransactionIdNotSupported : missing
    }
    return purchase
  }

  /// All that the customer of a purchase has bought in the app and environment.
  func purchases(ofCustomerOf purchase: Purchase) -> [Purchase] {
    ledger.edit { $0.purchases(ofCustomerOf: purchase) }
  }

  /// The transaction as it is now, signed now.
  func signed(_ purchase: Purchase, now: Int64) -> JSONValue {
    .string(signer.transaction(purchase.members, now: now))
  }
}

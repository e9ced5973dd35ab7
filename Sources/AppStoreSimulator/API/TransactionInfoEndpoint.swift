import HTTPTypes
import JSON

/// Get Transaction Info. Source: App Store Server API, «Get Transaction Info».
struct TransactionInfoEndpoint: Sendable {
  let finder: PurchaseFinder

  func answer(_ id: String, _ caller: StoreGate.Caller) throws(StoreError) -> HTTPResponse {
    let purchase = try finder.purchase(
      id, of: caller, takesAppTransaction: true, missing: .transactionIdNotFound)
    return .json(JSONValue.object(["signedTransactionInfo": finder.signed(purchase, now: caller.now)]).bytes())
  }
}

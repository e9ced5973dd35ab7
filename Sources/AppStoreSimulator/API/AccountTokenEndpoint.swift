import AppStore
import HTTPTypes
import JSON

/// Set App Account Token: counts for the newest transaction and later ones, in place of an earlier token.
/// Source: App Store Server API, «Set App Account Token».
struct AccountTokenEndpoint: Sendable {
  let finder: PurchaseFinder

  func answer(_ id: String, _ body: [UInt8], _ caller: StoreGate.Caller) throws(StoreError) -> HTTPResponse {
    let purchase = try finder.purchase(
      id, of: caller, takesAppTransaction: true, missing: .originalTransactionIdNotFound)
    guard purchase.originalTransactionId == purchase.transactionId else {
      throw .transactionIdIsNotOriginal
    }
    if purchase.isFamilyShared { throw .familyTransactionNotSupported }
    if purchase.isAssigned { throw .assignedTransactionNotSupported }
    guard let value = try? JSONValue(bytes: body), value.object != nil else { throw .malformedBody }
    guard let token = value["appAccountToken"]?.string, ConsumptionJudgeV1.isUUID(token) else {
      throw .invalidAppAccountTokenUUID
    }
    finder.ledger.edit { book in
      // Renewals are made after the newest period, so they carry it on.
      let newest = purchase.isAutoRenewable ? book.latest(of: purchase).transactionId : id
      book.change(newest) { $0.members["appAccountToken"] = .string(token) }
    }
    return .empty(200)
  }
}

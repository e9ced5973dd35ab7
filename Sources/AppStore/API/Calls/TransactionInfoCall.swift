/// Get Transaction Info: one purchase as it is now. The reply is a signed transaction, to be verified like any other.
/// Source: App Store Server API, «Get Transaction Info».
public struct TransactionInfoCall: AppStoreCall {
  public let transactionId: String

  public init(transactionId: String) throws(AppStoreCallError) {
    try AppStoreCallError.check(transactionId: transactionId)
    self.transactionId = transactionId
  }

  public var kind: AppStoreCallKind { .transactionInfo }
  public var target: String { "/inApps/v1/transactions/\(transactionId)" }

  public func reply(_ body: [UInt8]) throws(AppStoreReplyFault) -> String {
    try AppStoreReplyReader(body).text("signedTransactionInfo")
  }
}

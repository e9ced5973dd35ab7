/// Get Refund History, version 2: a customer's refunded purchases in the app, 20 on a page, by `revocationDate`, oldest
/// first.
///
/// The revision of the last page may be kept: asked with it later, only what was refunded since comes.
/// Source: App Store Server API, «Get Refund History».
public struct RefundHistoryCall: PagedAppStoreCall {
  /// Any of the customer's.
  public let transactionId: String
  /// The revision that the page before gave.
  public let page: String?

  public init(transactionId: String, page: String? = nil) throws(AppStoreCallError) {
    try AppStoreCallError.check(transactionId: transactionId)
    try AppStoreCallError.check(page: page)
    self.transactionId = transactionId
    self.page = page
  }

  public func at(page: String?) throws(AppStoreCallError) -> RefundHistoryCall {
    try RefundHistoryCall(transactionId: transactionId, page: page)
  }

  public var kind: AppStoreCallKind { .refundHistory }

  public var target: String {
    var query = QueryText()
    query.add("revision", page)
    return "/inApps/v2/refund/lookup/\(transactionId)" + query.text
  }

  public struct Page: AppStorePage {
    /// Signed, to be verified like any other.
    public let signedTransactions: [String]
    public let hasMore: Bool
    public let revision: String?

    public var next: String? { revision }
    public var count: Int { signedTransactions.count }
  }

  public func reply(_ body: [UInt8]) throws(AppStoreReplyFault) -> Page {
    let reader = try AppStoreReplyReader(body)
    return Page(
      signedTransactions: try reader.texts("signedTransactions"), hasMore: try reader.flag("hasMore"),
      revision: try reader.token("revision"))
  }
}

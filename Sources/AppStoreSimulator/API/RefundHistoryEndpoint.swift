import HTTPTypes
import JSON

/// Get Refund History, version 2: what was refunded to a customer, by the date of it, oldest first. The revision leads to
/// what was refunded later, also days afterwards.
/// Source: App Store Server API, «Get Refund History».
struct RefundHistoryEndpoint: Sendable {
  let finder: PurchaseFinder

  func answer(_ id: String, _ target: HTTPTarget, _ caller: StoreGate.Caller) throws(StoreError) -> HTTPResponse {
    let revision = try StoreQuery(target)["revision"]
    let purchase = try finder.purchase(id, of: caller, missing: .transactionIdNotFound)
    // Any of the customer's ids leads to the same list, so a revision is good for all of them.
    let question = Array((purchase.appTransactionId ?? purchase.originalTransactionId).utf8)
    var from: (Int64, String) = (-1, "")
    if let revision {
      guard let token = PageToken(revision, question: question) else { throw .invalidRequestRevision }
      from = (token.after, token.id)
    }
    func place(_ purchase: Purchase) -> (Int64, String) { (purchase.revocationDate ?? 0, purchase.transactionId) }
    let list = finder.purchases(ofCustomerOf: purchase).filter(\.isRefundedByApple).sorted { place($0) < place($1) }
    let page = StorePage(of: list) { place($0) > from }
    let last = page.elements.last.map { place($0) } ?? from
    let reply: JSONValue = [
      "signedTransactions": .array(page.elements.map { finder.signed($0, now: caller.now) }),
      "revision": .string(PageToken(after: last.0, id: last.1, question: question, now: caller.now).text),
      "hasMore": .bool(page.hasMore),
    ]
    return .json(reply.bytes())
  }
}

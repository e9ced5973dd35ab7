import HTTPTypes
import JSON

/// Look Up Order ID, in Production alone. An order is told to the simulator by the control API.
/// Source: App Store Server API, «Look Up Order ID».
struct OrderLookupEndpoint: Sendable {
  let finder: PurchaseFinder

  func answer(_ orderId: String, _ caller: StoreGate.Caller) throws(StoreError) -> HTTPResponse {
    guard (1...64).contains(orderId.utf8.count), orderId.utf8.allSatisfy({ UInt8(ascii: "0") <= $0 && $0 < 0x7F })
    else { throw .generalBadRequest }
    let purchases = (finder.ledger.order(orderId) ?? []).compactMap { finder.ledger.purchase($0, of: caller) }
    var reply: JSONObject = ["status": purchases.isEmpty ? 1 : 0]
    reply["signedTransactions"] = .array(purchases.map { finder.signed($0, now: caller.now) })
    return .json(JSONValue.object(reply).bytes())
  }
}

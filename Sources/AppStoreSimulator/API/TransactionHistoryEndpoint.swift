import AppStore
import HTTPTypes
import JSON

/// Get Transaction History, version 2. Ordered by purchase; by what Apple orders is not documented.
/// Source: App Store Server API, «Get Transaction History».
struct TransactionHistoryEndpoint: Sendable {
  private static let products = [
    "AUTO_RENEWABLE": ProductType.autoRenewableSubscription, "NON_RENEWABLE": .nonRenewingSubscription,
    "CONSUMABLE": .consumable, "NON_CONSUMABLE": .nonConsumable,
  ]

  let finder: PurchaseFinder

  func answer(_ id: String, _ target: HTTPTarget, _ caller: StoreGate.Caller) throws(StoreError) -> HTTPResponse {
    let query = try StoreQuery(target)
    let fits = try Self.filter(query)
    let isDescending = try Self.isDescending(query)
    let question = query.question(but: "revision")
    var from: PageToken?
    if let revision = query["revision"] {
      guard let token = PageToken(revision, question: question) else { throw .invalidRequestRevision }
      from = token
    }
    let purchase = try finder.purchase(id, of: caller, missing: .transactionIdNotFound)
    // What is not told the date of counts as the oldest.
    func place(_ purchase: Purchase) -> (Int64, String) { (purchase.purchaseDate ?? 0, purchase.transactionId) }
    let list = finder.purchases(ofCustomerOf: purchase).filter(fits)
      .sorted { isDescending ? place($0) > place($1) : place($0) < place($1) }
    let page = StorePage(of: list) { purchase in
      guard let from else { return true }
      return isDescending ? place(purchase) < (from.after, from.id) : place(purchase) > (from.after, from.id)
    }
    let last = page.elements.last.map { place($0) } ?? (from?.after ?? -1, from?.id ?? "")
    var reply: JSONObject = [
      "signedTransactions": .array(page.elements.map { finder.signed($0, now: caller.now) }),
      "revision": .string(PageToken(after: last.0, id: last.1, question: question, now: caller.now).text),
      "hasMore": .bool(page.hasMore), "bundleId": .string(caller.app),
      "environment": .string(caller.environment.rawValue),
    ]
    reply["appAppleId"] = purchase.appAppleId.map { .number(JSONNumber($0)) }
    return .json(JSONValue.object(reply).bytes())
  }

  private static func isDescending(_ query: StoreQuery) throws(StoreError) -> Bool {
    switch query["sort"] {
    case nil, "ASCENDING": return false
    case "DESCENDING": return true
    default: throw .invalidSort
    }
  }

  private static func filter(_ query: StoreQuery) throws(StoreError) -> (Purchase) -> Bool {
    let start = try query.instant("startDate", .invalidStartDate)
    let end = try query.instant("endDate", .invalidEndDate)
    if let start, let end, start > end { throw .startDateAfterEndDate }
    let ids = query.all("productId")
    guard ids.allSatisfy({ (1...255).contains($0.utf8.count) }) else { throw .invalidProductId }
    var types: [ProductType] = []
    for word in query.all("productType") {
      guard let type = products[word] else { throw .invalidProductType }
      types.append(type)
    }
    let groups = query.all("subscriptionGroupIdentifier")
    guard groups.allSatisfy({ (1...255).contains($0.utf8.count) }) else { throw .invalidSubscriptionGroup }
    let ownership = query["inAppOwnershipType"]
    if let ownership, !["PURCHASED", "FAMILY_SHARED", "ASSIGNED"].contains(ownership) {
      throw .invalidInAppOwnershipType
    }
    var revoked: Bool?
    if let word = query["revoked"] {
      guard let flag = Bool(word) else { throw .invalidRevoked }
      revoked = flag
    }
    return { [types, revoked] purchase in
      let date = purchase.purchaseDate ?? 0
      guard date >= start ?? .min, date < end ?? .max else { return false }
      if !ids.isEmpty, !ids.contains(purchase.productId ?? "") { return false }
      if !types.isEmpty, !types.contains(where: { $0.rawValue == purchase.members["type"]?.string }) { return false }
      let group = purchase.members["subscriptionGroupIdentifier"]?.string ?? ""
      if !groups.isEmpty, !groups.contains(group) { return false }
      let owned = purchase.members["inAppOwnershipType"]?.string ?? "PURCHASED"
      if let ownership, ownership != owned { return false }
      return revoked == nil || revoked == purchase.isRefunded
    }
  }
}

/// Get Transaction History, version 2: a customer's purchases in the app, 20 on a page.
///
/// Every page is asked for with the same filters. A transaction that changed between two pages comes twice: the later
/// `signedDate` counts. Source: App Store Server API, «Get Transaction History».
public struct TransactionHistoryCall: PagedAppStoreCall {
  /// Values of a filter that may be given several times.
  public static let filterMax = 50

  public enum Order: String, Sendable, Hashable { case ascending = "ASCENDING", descending = "DESCENDING" }

  public enum Product: String, Sendable, Hashable, CaseIterable {
    case autoRenewable = "AUTO_RENEWABLE"
    case nonRenewable = "NON_RENEWABLE"
    case consumable = "CONSUMABLE"
    case nonConsumable = "NON_CONSUMABLE"
  }

  /// What is asked for; nothing asks for all.
  public struct Filter: Sendable, Hashable {
    /// Milliseconds since 1970 UTC, of the purchase.
    public var startDate: Int64?
    public var endDate: Int64?
    public var productIds: [String] = []
    public var productTypes: [Product] = []
    public var order: Order?
    public var subscriptionGroups: [String] = []
    public var ownership: OwnershipType?
    /// true: revoked ones alone; false: all others.
    public var revoked: Bool?

    public init() {}
  }

  /// Any of the customer's.
  public let transactionId: String
  public let filter: Filter
  /// The revision that the page before gave.
  public let page: String?

  public init(
    transactionId: String, filter: Filter = Filter(), page: String? = nil
  ) throws(AppStoreCallError) {
    try AppStoreCallError.check(transactionId: transactionId)
    try AppStoreCallError.check(page: page)
    try AppStoreCallError.check(start: filter.startDate, end: filter.endDate)
    for (name, values) in [
      ("productId", filter.productIds), ("subscriptionGroupIdentifier", filter.subscriptionGroups),
    ] {
      guard values.count <= Self.filterMax, values.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
        throw .filter(name)
      }
    }
    self.transactionId = transactionId
    self.filter = filter
    self.page = page
  }

  public func at(page: String?) throws(AppStoreCallError) -> TransactionHistoryCall {
    try TransactionHistoryCall(transactionId: transactionId, filter: filter, page: page)
  }

  public var kind: AppStoreCallKind { .transactionHistory }

  public var target: String {
    var query = QueryText()
    query.add("revision", page)
    query.add("startDate", filter.startDate.map(String.init))
    query.add("endDate", filter.endDate.map(String.init))
    for id in filter.productIds { query.add("productId", id) }
    for type in filter.productTypes { query.add("productType", type.rawValue) }
    query.add("sort", filter.order?.rawValue)
    for group in filter.subscriptionGroups { query.add("subscriptionGroupIdentifier", group) }
    query.add("inAppOwnershipType", filter.ownership?.rawValue)
    query.add("revoked", filter.revoked.map { $0 ? "true" : "false" })
    return "/inApps/v2/history/\(transactionId)" + query.text
  }

  public struct Page: AppStorePage {
    /// Signed, to be verified like any other.
    public let signedTransactions: [String]
    public let hasMore: Bool
    public let revision: String?
    public let bundleId: String?
    public let appAppleId: Int64?
    public let environment: Environment?

    public var next: String? { revision }
    public var count: Int { signedTransactions.count }
  }

  public func reply(_ body: [UInt8]) throws(AppStoreReplyFault) -> Page {
    let reader = try AppStoreReplyReader(body)
    return Page(
      signedTransactions: try reader.texts("signedTransactions"), hasMore: try reader.flag("hasMore"),
      revision: try reader.token("revision"), bundleId: try reader.optionalText("bundleId"),
      appAppleId: try reader.integer("appAppleId"),
      environment: try reader.optionalText("environment").map { Environment(rawValue: $0) })
  }
}

import AppStore
import JSON

/// Every purchase and subscription. A value: the ledger keeps it behind a lock and lends it out.
struct Book: Sendable {
  static let purchasesMax = 100_000
  static let ordersMax = 10_000

  private var purchases: [String: Purchase] = [:]
  private var subscriptions: [String: Subscription] = [:]
  private var appTransactionIds: Set<String> = []
  private var numbers = 0
  private var orders: [String: [String]] = [:]

  subscript(transactionId: String) -> Purchase? { purchases[transactionId] }

  /// Whether some purchase names this as its app transaction.
  func hasAppTransaction(_ id: String) -> Bool { appTransactionIds.contains(id) }

  /// All purchases of a customer in one app and environment: those of the same app transaction, else those of the same
  /// original transaction.
  func purchases(ofCustomerOf purchase: Purchase) -> [Purchase] {
    purchases.values.filter { other in
      other.bundleId == purchase.bundleId && other.environment == purchase.environment
        && (other.originalTransactionId == purchase.originalTransactionId
          || (other.appTransactionId != nil && other.appTransactionId == purchase.appTransactionId))
    }
  }

  /// 1, 2, 3, for whatever has to be told from others.
  mutating func nextNumber() -> Int {
    numbers += 1
    return numbers
  }

  /// Keeps a purchase, in place of an earlier one of this id.
  /// - Returns: whether there was none; nil when the book is full and nothing was kept.
  mutating func register(_ purchase: Purchase) -> Bool? {
    let old = purchases[purchase.transactionId]
    guard old != nil || purchases.count < Self.purchasesMax else { return nil }
    // Customers are not counted: a purchase that was replaced leaves no app transaction behind.
    if let id = old?.appTransactionId { appTransactionIds.remove(id) }
    purchases[purchase.transactionId] = purchase
    if let id = purchase.appTransactionId { appTransactionIds.insert(id) }
    if purchase.isAutoRenewable { follow(purchase) }
    return old == nil
  }

  /// Changes a purchase that is there.
  /// - Returns: it, changed; nil when it is not there.
  @discardableResult
  mutating func change(_ transactionId: String, _ body: (inout Purchase) -> Void) -> Purchase? {
    guard purchases[transactionId] != nil else { return nil }
    body(&purchases[transactionId]!)
    return purchases[transactionId]
  }

  /// The transactions of an order; nil where there is none.
  func order(_ id: String) -> [String]? { orders[id] }

  /// Keeps an order, in place of an earlier one of this id.
  /// - Returns: false when the book is full.
  mutating func register(order id: String, of transactions: [String]) -> Bool {
    guard orders[id] != nil || orders.count < Self.ordersMax else { return false }
    orders[id] = transactions
    return true
  }

  /// The subscription that a purchase is a period of.
  func subscription(of purchase: Purchase) -> Subscription {
    subscriptions[purchase.originalTransactionId] ?? Subscription(of: purchase)
  }

  /// The newest period of the subscription of a purchase.
  func latest(of purchase: Purchase) -> Purchase {
    purchases[subscription(of: purchase).latest] ?? purchase
  }

  mutating func changeSubscription(of purchase: Purchase, _ body: (inout Subscription) -> Void) {
    var subscription = subscription(of: purchase)
    body(&subscription)
    subscriptions[purchase.originalTransactionId] = subscription
  }

  /// A period that was bought later is the newest.
  private mutating func follow(_ period: Purchase) {
    guard let known = subscriptions[period.originalTransactionId] else {
      subscriptions[period.originalTransactionId] = Subscription(of: period)
      return
    }
    if let newest = purchases[known.latest], newest.purchaseDate ?? 0 >= period.purchaseDate ?? 0 { return }
    subscriptions[period.originalTransactionId]!.latest = period.transactionId
  }
}

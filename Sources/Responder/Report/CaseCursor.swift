import Contracts

/// Where a page of cases ended: the sort key of its last case. Opaque to callers.
struct CaseCursor: Equatable {
  /// Cases that are not due come last.
  var due: Int64
  var newest: Int64
  var key: PurchaseKey

  init(due: Int64, newest: Int64, key: PurchaseKey) {
    self.due = due
    self.newest = newest
    self.key = key
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, parts[0] == "c1", let due = Int64(parts[1]), let newest = Int64(parts[2]),
      let key = try? PurchaseKey(environment: parts[3], transactionID: parts[4]), newest != .min
    else { return nil }
    self.init(due: due, newest: newest, key: key)
  }

  var text: String { "c1.\(due).\(newest).\(key.environment).\(key.transactionID)" }
}

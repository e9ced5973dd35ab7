extension AppStoreCallError {
  static func check(transactionId: String) throws(AppStoreCallError) {
    guard TransactionID.isWellFormed(transactionId) else { throw .transactionId }
  }

  static func check(page: String?) throws(AppStoreCallError) {
    guard let page else { return }
    guard (1...AppStoreReplyReader.tokenBytesMax).contains(page.utf8.count) else { throw .pageToken }
  }

  static func check(start: Int64?, end: Int64?) throws(AppStoreCallError) {
    if let start, start < 0 { throw .instant("startDate") }
    if let end, end < 0 { throw .instant("endDate") }
    if let start, let end, start > end { throw .startNotBeforeEnd }
  }
}

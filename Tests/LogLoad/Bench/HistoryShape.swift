/// What a history is about.
enum HistoryShape: String, CaseIterable {
  /// As a real app sends: 3 of 100 notifications are about refunds, the others about subscriptions.
  case mix
  /// Every notification belongs to a case; four to each.
  case cases

  /// Type and purchase of the event with this number, from 0.
  func event(_ number: Int, of count: Int, random: inout SplitMix) -> (type: String, purchase: Int) {
    switch self {
    case .mix:
      let purchases = max(1, count / 4)
      let isRefund = number % 100 == 33 || number % 100 == 66 || number % 100 == 99
      guard isRefund else { return ("DID_RENEW", Int(random.next() % UInt64(purchases))) }
      let refund = number / 100 * 3 + number % 100 / 33 - 1
      let type = refund % 2 == 0 ? "CONSUMPTION_REQUEST" : refund % 4 == 1 ? "REFUND" : "REFUND_DECLINED"
      return (type, refund / 2 * 7 % purchases)
    case .cases:
      // A thousand cases at a time, as they overlap in life.
      let types = ["CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_STATUS", "REFUND", "REFUND_REVERSED"]
      return (types[number % 4_000 / 1_000], number / 4_000 * 1_000 + number % 1_000)
    }
  }
}

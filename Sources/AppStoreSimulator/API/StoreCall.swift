/// A kind of call of the App Store Server API, by the name it has in faults on order and in records. Both versions of a
/// call are one kind.
enum StoreCall: String, CaseIterable, Sendable {
  case consumption, transactionInfo, transactionHistory, refundHistory, notificationHistory
  case testNotification, testNotificationStatus, setAppAccountToken, orderLookup

  /// Calls an app may make in a second in Production; the sandbox has a tenth.
  /// Source: App Store Server API, «Identifying rate limits».
  var perSecond: Int {
    switch self {
    case .consumption, .transactionInfo, .transactionHistory, .notificationHistory: 50
    case .setAppAccountToken: 20
    case .refundHistory, .orderLookup: 10
    case .testNotification, .testNotificationStatus: 1
    }
  }

  /// All names, for people.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

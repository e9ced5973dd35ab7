/// What is asked of the App Store Server API. Both versions of a call are one kind.
public enum AppStoreCallKind: String, Sendable, Hashable, CaseIterable {
  case consumption, transactionInfo, transactionHistory, refundHistory, notificationHistory
  case testNotification, testNotificationStatus, setAppAccountToken, orderLookup

  /// Apple's name for it.
  public var name: String {
    switch self {
    case .consumption: "Send Consumption Information"
    case .transactionInfo: "Get Transaction Info"
    case .transactionHistory: "Get Transaction History"
    case .refundHistory: "Get Refund History"
    case .notificationHistory: "Get Notification History"
    case .testNotification: "Request a Test Notification"
    case .testNotificationStatus: "Get Test Notification Status"
    case .setAppAccountToken: "Set App Account Token"
    case .orderLookup: "Look Up Order ID"
    }
  }

  /// Whether Apple offers it in that environment.
  public func isOffered(in environment: ServerEnvironment) -> Bool {
    // Orders of the sandbox have no id that a customer sees.
    self != .orderLookup || environment == .production
  }

  /// How many calls an app may make in ten seconds. Apple tells seconds, counted over the hour; the sandbox has a tenth.
  /// Source: App Store Server API, «Identifying rate limits».
  public func callsPerTenSeconds(in environment: ServerEnvironment) -> Int {
    let perSecond =
      switch self {
      case .consumption, .transactionInfo, .transactionHistory, .notificationHistory: 50
      case .setAppAccountToken: 20
      case .refundHistory, .orderLookup: 10
      case .testNotification, .testNotificationStatus: 1
      }
    return environment == .production ? perSecond * 10 : perSecond
  }
}

public import JSON

/// The app that a consent notification is about. Source: App Store Server Notifications, «appData».
public struct NotificationAppData: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var appAppleId: Int64? { integer("appAppleId") }
  public var bundleId: String? { text("bundleId") }
  public var environment: Environment? { word("environment") }
  /// A token of its own.
  public var signedAppTransactionInfo: String? { text("signedAppTransactionInfo") }
}

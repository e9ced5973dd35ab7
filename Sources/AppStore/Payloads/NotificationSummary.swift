public import JSON

/// The result of a mass extension. Source: App Store Server Notifications, «summary».
public struct NotificationSummary: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var environment: Environment? { word("environment") }
  public var appAppleId: Int64? { integer("appAppleId") }
  public var bundleId: String? { text("bundleId") }
  public var productId: String? { text("productId") }
  public var requestIdentifier: String? { text("requestIdentifier") }
  public var succeededCount: Int64? { integer("succeededCount") }
  public var failedCount: Int64? { integer("failedCount") }
}

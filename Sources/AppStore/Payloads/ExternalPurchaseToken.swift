public import JSON

/// A token for purchases outside the App Store. Source: App Store Server Notifications,
/// «externalPurchaseToken».
public struct ExternalPurchaseToken: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var externalPurchaseId: String? { text("externalPurchaseId") }
  public var tokenCreationDate: Int64? { integer("tokenCreationDate") }
  public var tokenExpirationDate: Int64? { integer("tokenExpirationDate") }
  public var tokenType: String? { text("tokenType") }
  public var appAppleId: Int64? { integer("appAppleId") }
  public var bundleId: String? { text("bundleId") }

  /// It has no member for the environment; an id that begins with SANDBOX is of the sandbox.
  public var environment: Environment? {
    externalPurchaseId.map { $0.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production }
  }
}

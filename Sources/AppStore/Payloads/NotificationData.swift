public import JSON

/// The app and purchase that a notification is about. Source: App Store Server Notifications, «data».
public struct NotificationData: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var appAppleId: Int64? { integer("appAppleId") }
  public var bundleId: String? { text("bundleId") }
  public var bundleVersion: String? { text("bundleVersion") }
  public var environment: Environment? { word("environment") }
  /// A token of its own.
  public var signedTransactionInfo: String? { text("signedTransactionInfo") }
  /// A token of its own; auto-renewable subscriptions only.
  public var signedRenewalInfo: String? { text("signedRenewalInfo") }
  /// The subscription as of now; the purchase at hand may be an older one.
  public var status: SubscriptionStatus? { number("status") }
  /// Absent and unknown are two things: nil, and `unknown`.
  public var consumptionRequestReason: ConsumptionRequestReason? { word("consumptionRequestReason") }

  /// Members that Apple has added since, in order of appearance.
  public var unknownMembers: [(key: String, value: JSONView)] { members(outside: Self.knownMembers) }

  private static let knownMembers: Set<String> = [
    "appAppleId", "bundleId", "bundleVersion", "environment", "signedTransactionInfo", "signedRenewalInfo", "status",
    "consumptionRequestReason",
  ]
}

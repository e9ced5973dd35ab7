public import JSON

/// What a notification says. Source: App Store Server Notifications, «responseBodyV2DecodedPayload».
public struct ResponseBodyV2DecodedPayload: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var notificationType: NotificationType? { word("notificationType") }
  public var subtype: Subtype? { word("subtype") }
  /// The same over Apple's retries: the duplicate key. Spelled as Apple sent it.
  public var notificationUUID: String? { text("notificationUUID") }
  public var version: String? { text("version") }
  /// Milliseconds since 1970 UTC.
  public var signedDate: Int64? { integer("signedDate") }
  public var data: NotificationData? { part("data") }
  public var summary: NotificationSummary? { part("summary") }
  public var externalPurchaseToken: ExternalPurchaseToken? { part("externalPurchaseToken") }
  public var appData: NotificationAppData? { part("appData") }
  public var unclaimInfo: UnclaimInfo? { part("unclaimInfo") }

  /// Members that Apple has added since, in order of appearance.
  public var unknownMembers: [(key: String, value: JSONView)] { members(outside: Self.knownMembers) }

  private static let knownMembers: Set<String> = [
    "notificationType", "subtype", "notificationUUID", "version", "signedDate", "data", "summary",
    "externalPurchaseToken", "appData", "unclaimInfo",
  ]
}

public import JSON

/// Seats taken back. Source: App Store Server Notifications 2.23; other members than these were not known when this
/// was written.
public struct UnclaimInfo: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var bundleId: String? { text("bundleId") }
  public var appAppleId: Int64? { integer("appAppleId") }
  public var environment: Environment? { word("environment") }

  public var unclaimSeatIds: [String] { (view["unclaimSeatIds"]?.elements ?? []).compactMap(\.string) }
}

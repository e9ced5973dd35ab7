public import JSON

/// Seats of a purchase, since API 1.23. Source: App Store Server API, «multiSeatInfo».
public struct MultiSeatInfo: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var invitationManagement: InvitationManagement? { word("invitationManagement") }
  /// Seats that were refunded; the purchase itself may stand.
  public var revokedSeatQuantity: Int64? { integer("revokedSeatQuantity") }

  /// As they came: Apple's pages did not name their members when this was written.
  public var priceTiers: [JSONView] { view["priceTiers"]?.elements ?? [] }
}

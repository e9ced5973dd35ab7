public import JSON

/// Marks a purchase of the Advanced Commerce API. Source: App Store Server API, «advancedCommerceTransactionInfo».
public struct AdvancedCommerceInfo: DecodedPayload {
  public let view: JSONView

  public init(view: JSONView) { self.view = view }

  public var requestReferenceId: String? { text("requestReferenceId") }
  public var displayName: String? { text("displayName") }
  public var description: String? { text("description") }
  public var period: String? { text("period") }
  public var taxCode: String? { text("taxCode") }
  public var taxRate: String? { text("taxRate") }
  public var taxExclusivePrice: Int64? { integer("taxExclusivePrice") }
  public var estimatedTax: Int64? { integer("estimatedTax") }

  /// SKUs, prices and refunds of single items, as they came.
  public var items: [JSONView] { view["items"]?.elements ?? [] }
}

public import JSON

/// The operator's word on the two facts for a product.
///
/// Stream app/<bundleId>. Apple requires both facts and nobody may guess them; a newer statement for the same
/// product replaces the older one.
public struct ProductStatementDeclared: SortedEventData {
  public static let type = EventType.productStatementDeclared

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// Product id, or * for every product without a statement of its own.
  public var productID: String
  /// Whether purchases of the product are delivered, in Apple's words. Open.
  public var deliveryStatus: DeliveryStatusWord
  /// Whether a free sample, trial or description of the function is offered before the purchase.
  public var sampleContentProvided: Bool
  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String
  /// true: what was declared of the product counts no more; the two facts are those it had.
  public var withdrawn: Bool?
  public var additional: JSONObject

  public init(
    bundleID: String, productID: String, deliveryStatus: DeliveryStatusWord, sampleContentProvided: Bool,
    by: String, withdrawn: Bool? = nil, additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.productID = productID
    self.deliveryStatus = deliveryStatus
    self.sampleContentProvided = sampleContentProvided
    self.by = by
    self.withdrawn = withdrawn
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    productID = try members.required("productId", .name)
    deliveryStatus = try members.required("deliveryStatus", .word())
    sampleContentProvided = try members.required("sampleContentProvided", .flag)
    by = try members.required("by", .name)
    withdrawn = try members.optional("withdrawn", .flag)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put("productId", productID)
    members.put("deliveryStatus", deliveryStatus)
    members.put("sampleContentProvided", sampleContentProvided)
    members.put("by", by)
    members.put("withdrawn", withdrawn)
  }
}

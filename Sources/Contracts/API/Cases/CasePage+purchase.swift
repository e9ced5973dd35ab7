public import JSON

extension CasePage {
  /// What was bought, as Apple's newest notification tells it.
  public struct Purchase: Sendable, Equatable, MemberValue {
    public var productID: String?
    /// Apple's word.
    public var productType: String?
    public var originalTransactionID: String?
    public var purchaseDate: Int64?
    public var quantity: Int64?
    /// Thousandths of the currency's unit.
    public var price: Int64?
    public var currency: String?
    public var storefront: String?
    /// Whether and how Apple takes an answer, in words.
    public var answerable: String
    /// Whether it was taken back.
    public var revocation: Revocation
    /// When Apple signed it.
    public var signedAt: Int64

    public init(
      productID: String?, productType: String?, originalTransactionID: String?, purchaseDate: Int64?,
      quantity: Int64?, price: Int64?, currency: String?, storefront: String?, answerable: String,
      revocation: Revocation, signedAt: Int64
    ) {
      self.productID = productID
      self.productType = productType
      self.originalTransactionID = originalTransactionID
      self.purchaseDate = purchaseDate
      self.quantity = quantity
      self.price = price
      self.currency = currency
      self.storefront = storefront
      self.answerable = answerable
      self.revocation = revocation
      self.signedAt = signedAt
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("productId", productID)
      writer.put("productType", productType)
      writer.put("originalTransactionId", originalTransactionID)
      writer.put("purchaseDate", purchaseDate)
      writer.put("quantity", quantity)
      writer.put("price", price)
      writer.put("currency", currency)
      writer.put("storefront", storefront)
      writer.put("answerable", answerable)
      writer.put("revocation", revocation)
      writer.put("signedAt", signedAt)
      return .object(writer.members)
    }
  }
}

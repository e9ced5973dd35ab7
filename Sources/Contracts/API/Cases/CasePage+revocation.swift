public import JSON

extension CasePage {
  /// Whether the App Store took the purchase back. That is not always a refund, and not every refund takes it back.
  public struct Revocation: Sendable, Equatable, MemberValue {
    /// Every transaction that is known to stand for its period was taken back.
    public var isRevoked: Bool
    /// The same in a sentence.
    public var words: String
    /// When this transaction was taken back.
    public var at: Int64?
    /// Apple's word for how; absent in older data.
    public var type: String?
    /// Thousandths of a percent of the whole quantity.
    public var percentage: Int64?
    /// Apple's number: 1 a fault in the app, 0 something else.
    public var reason: Int64?
    /// How many seats were taken back in all.
    public var revokedSeats: Int64?

    public init(
      isRevoked: Bool, words: String, at: Int64? = nil, type: String? = nil, percentage: Int64? = nil,
      reason: Int64? = nil, revokedSeats: Int64? = nil
    ) {
      self.isRevoked = isRevoked
      self.words = words
      self.at = at
      self.type = type
      self.percentage = percentage
      self.reason = reason
      self.revokedSeats = revokedSeats
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("revoked", isRevoked)
      writer.put("words", words)
      writer.put("at", at)
      writer.put("type", type)
      writer.put("percentage", percentage)
      writer.put("reason", reason)
      writer.put("revokedSeats", revokedSeats)
      return .object(writer.members)
    }
  }
}

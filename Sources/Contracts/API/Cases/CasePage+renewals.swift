public import JSON

extension CasePage {
  /// That the renewal of the subscription was switched on or off.
  public struct RenewalChange: Sendable, Equatable, MemberValue {
    /// When Apple signed it.
    public var at: Int64
    public var isOn: Bool
    /// The App Store switches renewal off when a customer asks for a refund in the app: this one came near a refund
    /// request, and is no cancellation of the customer's.
    public var isProbablyOfAppStore: Bool
    /// Position of what told it.
    public var position: Int64

    public init(at: Int64, isOn: Bool, isProbablyOfAppStore: Bool, position: Int64) {
      self.at = at
      self.isOn = isOn
      self.isProbablyOfAppStore = isProbablyOfAppStore
      self.position = position
    }

    /// In a line for people.
    public var words: String {
      "renewal was switched \(isOn ? "on" : "off")"
        + (isProbablyOfAppStore ? ", probably by the App Store because of the refund request" : "")
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("at", at)
      writer.put("on", isOn)
      writer.put("probablyOfAppStore", isProbablyOfAppStore)
      writer.put("words", words)
      writer.put("position", String(position))
      return .object(writer.members)
    }
  }
}

public import JSON

/// A time in which purchases were not delivered as they should.
///
/// Stream app/<bundleId>. An answer about a purchase made in that time may rest on it.
public struct OutageDeclared: SortedEventData {
  public static let type = EventType.outageDeclared

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// Start, inclusive. Milliseconds since 1970, UTC.
  public var from: Int64
  /// End, exclusive. Milliseconds since 1970, UTC.
  public var to: Int64
  /// Product ids concerned; * stands for all.
  public var products: [String]
  /// The deliveryStatus such purchases get where no evidence says otherwise, or NOTE_ONLY where people shall only
  /// see it. Open.
  public var effect: OutageEffectWord
  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String?
  public var additional: JSONObject

  public init(
    bundleID: String, from: Int64, to: Int64, products: [String], effect: OutageEffectWord, by: String? = nil,
    additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.from = from
    self.to = to
    self.products = products
    self.effect = effect
    self.by = by
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    from = try members.required("from", .instant)
    to = try members.required("to", .instant)
    products = try members.required("products", .list(of: .name))
    effect = try members.required("effect", .word())
    by = try members.optional("by", .name)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put("from", from)
    members.put("to", to)
    members.put("products", products)
    members.put("effect", effect)
    members.put("by", by)
  }
}

public import JSON

/// A purchase belongs to this customer, says the backend.
///
/// Stream purchase/<environment>/<transactionId>. Used where the purchase itself names no account token.
public struct CustomerLinked: SortedEventData {
  public static let type = EventType.customerLinked

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// The purchase it is about.
  public var purchase: PurchaseKey
  /// The customer's account token as the backend knows it, 1 to 255 bytes; compared without case. Personal data:
  /// blanked by an erasure.
  public var account: String
  /// When the author of the statement made it. Statements are ordered by this instant, not by arrival.
  /// Milliseconds since 1970, UTC.
  public var statedAt: Int64
  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String
  public var additional: JSONObject

  public init(
    bundleID: String, purchase: PurchaseKey, account: String, statedAt: Int64, by: String,
    additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.purchase = purchase
    self.account = account
    self.statedAt = statedAt
    self.by = by
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    purchase = try members.purchase()
    account = try members.required("account", .name)
    statedAt = try members.required("statedAt", .instant)
    by = try members.required("by", .name)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put(purchase)
    members.put("account", account)
    members.put("statedAt", statedAt)
    members.put("by", by)
  }
}

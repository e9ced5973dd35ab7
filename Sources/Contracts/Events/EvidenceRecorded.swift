public import JSON

/// What is known of a purchase, in Apple's own terms.
///
/// Stream purchase/<environment>/<transactionId> of the transaction or of its original transaction. A newer
/// statement adds to the older ones, member by member.
public struct EvidenceRecorded: SortedEventData {
  public static let type = EventType.evidenceRecorded

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// The purchase it is about.
  public var purchase: PurchaseKey
  /// When the author made the statement; orders statements. Milliseconds since 1970, UTC.
  public var statedAt: Int64
  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String
  public var statement: EvidenceStatement
  public var additional: JSONObject

  public init(
    bundleID: String, purchase: PurchaseKey, statedAt: Int64, by: String, statement: EvidenceStatement,
    additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.purchase = purchase
    self.statedAt = statedAt
    self.by = by
    self.statement = statement
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    purchase = try members.purchase()
    statedAt = try members.required("statedAt", .instant)
    by = try members.required("by", .name)
    // `known: true` beside values says nothing new and stays among the additional members.
    let known = members.rest["known"]
    if let values = try members.optional("values", .object) {
      if let known, known != .bool(true) {
        throw members.error("known", found: Found.words(for: known), allowed: "true or nothing beside values")
      }
      var inner = members.inside("values", values)
      var stated = try EvidenceValues(members: &inner)
      stated.additional = inner.rest
      statement = .values(stated)
    } else if let known {
      guard try members.required("known", .flag) == false else {
        throw members.error("known", found: Found.words(for: known), allowed: "false where there are no values")
      }
      statement = .unknownPurchase
    } else {
      throw members.error("values", found: "nothing", allowed: "an object, or known: false")
    }
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put(purchase)
    members.put("statedAt", statedAt)
    members.put("by", by)
    switch statement {
    case .values(let values): members.put("values", values.members)
    case .unknownPurchase: members.put("known", false)
    }
  }
}

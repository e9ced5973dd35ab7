public import JSON

/// A preference for every refund request of one customer.
///
/// Stream customer/<pseudonym>. The newest counts.
public struct CustomerPreferenceSet: SortedEventData {
  public static let type = EventType.customerPreferenceSet

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// The customer's account token as the backend knows it, 1 to 255 bytes; compared without case. Personal data:
  /// blanked by an erasure.
  public var account: String
  /// Apple's words, or NO_PREFERENCE to take an earlier preference back. Open.
  public var refundPreference: RefundPreferenceWord
  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String
  /// Why, in words for people.
  public var note: String?
  public var additional: JSONObject

  public init(
    bundleID: String, account: String, refundPreference: RefundPreferenceWord, by: String, note: String? = nil,
    additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.account = account
    self.refundPreference = refundPreference
    self.by = by
    self.note = note
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    account = try members.required("account", .name)
    refundPreference = try members.required("refundPreference", .word())
    by = try members.required("by", .name)
    note = try members.optional("note", .text)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put("account", account)
    members.put("refundPreference", refundPreference)
    members.put("by", by)
    members.put("note", note)
  }
}

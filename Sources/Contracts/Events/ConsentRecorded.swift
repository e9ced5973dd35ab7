public import JSON

/// A customer agreed to sharing consumption data with Apple, or withdrew.
///
/// Stream customer/<pseudonym>. The newest record by statedAt counts, and a withdrawal wins a tie. Nothing
/// overrides a withdrawal.
public struct ConsentRecorded: SortedEventData {
  public static let type = EventType.consentRecorded

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// The customer's account token as the backend knows it, 1 to 255 bytes; compared without case. Personal data:
  /// blanked by an erasure.
  public var account: String
  /// true: agreed. false: withdrew or refused.
  public var granted: Bool
  /// Version of the text the customer saw.
  public var textVersion: String
  /// SHA-256 of the UTF-8 bytes of that text, so that the text can be proved later.
  public var textDigest: String
  /// Where the customer agreed. Open. Apple's tracking prompt is never a channel.
  public var channel: ChannelWord
  /// When the author of the statement made it. Statements are ordered by this instant, not by arrival.
  /// Milliseconds since 1970, UTC.
  public var statedAt: Int64
  /// Name of the API token or operator that recorded it.
  public var by: String?
  public var additional: JSONObject

  public init(
    bundleID: String, account: String, granted: Bool, textVersion: String, textDigest: String,
    channel: ChannelWord, statedAt: Int64, by: String? = nil, additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.account = account
    self.granted = granted
    self.textVersion = textVersion
    self.textDigest = textDigest
    self.channel = channel
    self.statedAt = statedAt
    self.by = by
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    account = try members.required("account", .name)
    granted = try members.required("granted", .flag)
    textVersion = try members.required("textVersion", .name)
    textDigest = try members.required("textDigest", .digest)
    channel = try members.required("channel", .word())
    statedAt = try members.required("statedAt", .instant)
    by = try members.optional("by", .name)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put("account", account)
    members.put("granted", granted)
    members.put("textVersion", textVersion)
    members.put("textDigest", textDigest)
    members.put("channel", channel)
    members.put("statedAt", statedAt)
    members.put("by", by)
  }
}

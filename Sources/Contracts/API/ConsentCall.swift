public import JSON

/// The body of `PUT /v1/consents`: a customer agreed to sharing consumption data with Apple, or withdrew.
public struct ConsentCall: Sendable, Equatable {
  public var bundleID: String
  /// The account token as the backend knows it; never logged.
  public var account: String
  public var granted: Bool
  public var textVersion: String
  /// SHA-256 of the text, lower-case hex; may be left out where the text of that version is declared.
  public var textDigest: String?
  /// Language of the text that was shown; tells which of several declared texts of a version it was.
  public var language: String?
  public var channel: ChannelWord
  /// When the customer decided. Milliseconds since 1970, UTC.
  public var statedAt: Int64

  /// - Parameter now: milliseconds since 1970, UTC; a statement more than 5 min after it is refused.
  /// - Throws: `Problem` with everything that is wrong.
  public init(body: [UInt8], now: Int64) throws(Problem) {
    try self.init(members: try CallReader.object(body), now: now)
  }

  /// - Parameter path: where the object stands in a batch, such as `items[3]`; empty for a body.
  public init(members: JSONObject, path: String = "", now: Int64) throws(Problem) {
    var reader = CallReader(members, path: path)
    let bundleID = reader.required("bundleId", .bundleID)
    let account = reader.account()
    let granted = reader.required("granted", .flag)
    let textVersion = reader.required("textVersion", .name)
    textDigest = reader.optional("textDigest", .digest)
    language = reader.optional("language", .language)
    let channel = reader.required("channel", Shape<ChannelWord>.word())
    let statedAt = reader.statedAt(now: now)
    if let channel, Self.trackingPrompt.contains(LowerCase.ascii(channel.text)) {
      reader.refuse(
        "channel",
        "is Apple's tracking prompt, which is no consent to sharing consumption data; ask for that in words of its own")
    }
    reader.refuseUnknown()
    guard reader.faults.isEmpty, let bundleID, let account, let granted, let textVersion, let channel, let statedAt
    else { throw Problem(.invalidMembers, errors: reader.faults) }
    self.bundleID = bundleID
    self.account = account
    self.granted = granted
    self.textVersion = textVersion
    self.channel = channel
    self.statedAt = statedAt
  }

  /// The event it becomes.
  /// - Parameters:
  ///   - textDigest: the digest of the text, from the call or from the declared text of that version.
  ///   - by: name of the API token.
  public func event(textDigest: String, by: String) -> ConsentRecorded {
    ConsentRecorded(
      bundleID: bundleID, account: account, granted: granted, textVersion: textVersion, textDigest: textDigest,
      channel: channel, statedAt: statedAt, by: by)
  }

  private static let trackingPrompt = ["att", "apptrackingtransparency", "app-tracking-transparency"]
}

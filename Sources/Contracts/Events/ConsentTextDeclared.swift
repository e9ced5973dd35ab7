public import JSON

/// The text of a consent, kept readable for ever.
///
/// Stream app/<bundleId>. What ConsentRecorded refers to by version and digest.
public struct ConsentTextDeclared: SortedEventData {
  public static let type = EventType.consentTextDeclared

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// Version of the text, as consents name it.
  public var version: String
  /// Language of the text, BCP 47.
  public var language: String
  /// The text itself, exactly as shown.
  public var text: String
  /// SHA-256 of the UTF-8 bytes of the text.
  public var digest: String
  public var additional: JSONObject

  public init(
    bundleID: String, version: String, language: String, text: String, digest: String,
    additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.version = version
    self.language = language
    self.text = text
    self.digest = digest
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    version = try members.required("version", .name)
    language = try members.required("language", .name)
    text = try members.required("text", .text)
    digest = try members.required("digest", .digest)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put("version", version)
    members.put("language", language)
    members.put("text", text)
    members.put("digest", digest)
  }
}

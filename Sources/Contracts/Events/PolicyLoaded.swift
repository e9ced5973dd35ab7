public import JSON

/// The policy in force from here on.
///
/// Stream app/<bundleId>. Holds the whole text, so that every decision stays explainable; the built-in default is
/// loaded too.
public struct PolicyLoaded: SortedEventData {
  public static let type = EventType.policyLoaded

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// SHA-256 of the UTF-8 bytes of the text; ConsumptionPrepared.policy names it.
  public var digest: String
  /// The policy file, byte for byte.
  public var text: String
  public var additional: JSONObject

  public init(
    bundleID: String, digest: String, text: String, additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.digest = digest
    self.text = text
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    digest = try members.required("digest", .digest)
    text = try members.required("text", .text)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put("digest", digest)
    members.put("text", text)
  }
}

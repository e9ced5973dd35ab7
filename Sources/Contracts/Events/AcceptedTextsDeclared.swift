public import JSON

/// The versions of the consent text that still count.
///
/// Stream app/<bundleId>. An agreement to a version that is not listed counts as unknown; without this event
/// every version counts.
public struct AcceptedTextsDeclared: SortedEventData {
  public static let type = EventType.acceptedTextsDeclared

  /// Bundle id of the app, spelled as the App Store spells it.
  public var bundleID: String
  /// Versions that count from now on; an empty list means none does.
  public var versions: [String]
  public var additional: JSONObject

  public init(
    bundleID: String, versions: [String], additional: JSONObject = JSONObject()
  ) {
    self.bundleID = bundleID
    self.versions = versions
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    bundleID = try members.required("bundleId", .name)
    versions = try members.required("versions", .list(of: .name))
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("bundleId", bundleID)
    members.put("versions", versions)
  }
}

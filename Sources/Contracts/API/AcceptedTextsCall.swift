import JSON

/// `PUT /v1/texts/{bundleId}/accepted`: the versions of the consent text that still count.
public struct AcceptedTextsCall: Sendable, Equatable {
  public static let versionsMax = 200

  public var bundleID: String
  public var versions: [String]

  /// - Throws: `Problem` with everything that is wrong.
  public init(bundleID: String, body: [UInt8]) throws(Problem) {
    var reader = CallReader(try CallReader.object(body), path: "")
    let versions = reader.required("versions", .list(of: .name))
    if let versions {
      if versions.count > Self.versionsMax {
        reader.refuse("versions", "names \(versions.count); up to \(Self.versionsMax) are allowed")
      } else if Set(versions).count < versions.count {
        reader.refuse("versions", "names one twice")
      }
    }
    reader.refuseUnknown()
    self.bundleID = try reader.path("bundleId", bundleID, .bundleID)
    guard reader.faults.isEmpty, let versions else { throw Problem(.invalidMembers, errors: reader.faults) }
    self.versions = versions
  }

  /// The event it becomes.
  public var event: AcceptedTextsDeclared { AcceptedTextsDeclared(bundleID: bundleID, versions: versions) }
}

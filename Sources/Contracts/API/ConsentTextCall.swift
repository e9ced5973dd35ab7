/// `PUT /v1/texts/{bundleId}/{version}/{language}`: the text of a consent, exactly as it is shown.
public struct ConsentTextCall: Sendable, Equatable {
  public var bundleID: String
  public var version: String
  public var language: String
  public var text: String

  /// - Throws: `Problem` with everything that is wrong.
  public init(bundleID: String, version: String, language: String, body: [UInt8]) throws(Problem) {
    var reader = CallReader(try CallReader.object(body), path: "")
    let text = reader.required("text", .consentText)
    reader.refuseUnknown()
    self.bundleID = try reader.path("bundleId", bundleID, .bundleID)
    self.version = try reader.path("version", version, .name)
    self.language = try reader.path("language", language, .language)
    guard reader.faults.isEmpty, let text else { throw Problem(.invalidMembers, errors: reader.faults) }
    self.text = text
  }

  /// The event it becomes.
  /// - Parameter digest: SHA-256 of the text's UTF-8 bytes, lower-case hex.
  public func event(digest: String) -> ConsentTextDeclared {
    ConsentTextDeclared(bundleID: bundleID, version: version, language: language, text: text, digest: digest)
  }
}

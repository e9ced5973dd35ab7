public import JSON

/// A certificate that signed notifications was revoked.
///
/// Stream log. Notifications signed with it after that instant are suspect; they stay in the log.
public struct CertificateRevoked: SortedEventData {
  public static let type = EventType.certificateRevoked

  /// SHA-256 of the certificate, DER.
  public var digest: String
  /// Revocation time as the issuer states it. Milliseconds since 1970, UTC.
  public var since: Int64
  /// The issuer's reason, where it gives one.
  public var reason: String?
  public var additional: JSONObject

  public init(
    digest: String, since: Int64, reason: String? = nil, additional: JSONObject = JSONObject()
  ) {
    self.digest = digest
    self.since = since
    self.reason = reason
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    digest = try members.required("digest", .digest)
    since = try members.required("since", .instant)
    reason = try members.optional("reason", .text)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("digest", digest)
    members.put("since", since)
    members.put("reason", reason)
  }
}

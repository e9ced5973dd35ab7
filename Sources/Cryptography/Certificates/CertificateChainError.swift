/// Why three certificates are no path to trust.
public enum CertificateChainError: Error, Equatable, CustomStringConvertible {
  public enum Place: String, Sendable { case leaf, intermediate, anchor }

  /// No anchor was given; nothing can be trusted then.
  case noAnchors
  /// No anchor issued the intermediate, or the intermediate did not issue the leaf.
  case untrusted(reason: String)
  /// The intermediate may not issue certificates.
  case notAuthority(subject: String)
  /// The path is longer than an issuer allows.
  case pathLength
  /// Another rule of RFC 5280 is broken.
  case refused(reason: String)
  /// A certificate is outside its dates at the instant judged.
  case validity(Place, notBefore: Int64, notAfter: Int64, at: Int64)

  public var description: String {
    switch self {
    case .noAnchors: "no trust anchor is configured, so no certificate can be trusted"
    case .untrusted(let reason): "the certificates do not lead to a trust anchor (\(reason))"
    case .notAuthority(let subject): "the second certificate may not issue others: \(subject)"
    case .pathLength: "the path is longer than an issuer allows"
    case .refused(let reason): "the path is refused (\(reason))"
    case .validity(let place, let notBefore, let notAfter, let at):
      "the \(place.rawValue) certificate is valid from \(notBefore) to \(notAfter), judged at \(at) (milliseconds UTC)"
    }
  }
}

public import Cryptography

/// Why a root was not taken as trust anchor. Names the file, so that a bad anchor never looks like a bad payload.
public enum TrustAnchorError: Error, Equatable, CustomStringConvertible {
  case unreadable(source: String, reason: String)
  case tooLarge(source: String, bytes: Int, limit: Int)
  case notCertificate(source: String, reason: CertificateParseError)
  case severalCertificates(source: String, count: Int)
  /// A certificate, but one that may not issue others.
  case notAuthority(source: String, subject: String)
  /// The built-in root is not the published one: the program has been altered.
  case builtInAltered(found: String)

  public var description: String {
    switch self {
    case .unreadable(let source, let reason):
      "trust anchor \(source) cannot be read: \(reason)"
    case .tooLarge(let source, let bytes, let limit):
      "trust anchor \(source) has \(bytes) bytes, a certificate file has at most \(limit): is it the right file?"
    case .notCertificate(let source, let reason):
      "trust anchor \(source) is no certificate: \(reason); give the root in DER (.cer) or PEM"
    case .severalCertificates(let source, let count):
      "trust anchor \(source) holds \(count) certificates: name one file per root"
    case .notAuthority(let source, let subject):
      "trust anchor \(source) may not issue certificates (\(subject)): give the root, not a leaf"
    case .builtInAltered(let found):
      "the built-in Apple Root CA - G3 has SHA-256 \(found), not the published one: do not run this program"
    }
  }
}

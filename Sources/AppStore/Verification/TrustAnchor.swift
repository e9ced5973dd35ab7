public import Cryptography
import Glibc
import Service

/// A root that a chain may end in. Trust comes from these alone, never from what a token carries.
public struct TrustAnchor: Sendable, Equatable {
  /// Largest file that is looked at.
  public static let fileBytesMax = 65_536

  public let certificate: Certificate
  /// Where it came from, for messages: a path, or «built in».
  public let source: String

  /// Apple Root CA - G3 as built in, checked against Apple's published fingerprint.
  public static func appleRootCAG3() throws(TrustAnchorError) -> TrustAnchor {
    let der = Base64.decode(AppleRootCAG3.base64) ?? []
    let found = SHA256.digest(of: der).hex
    guard found == AppleRootCAG3.fingerprint else { throw .builtInAltered(found: found) }
    return try TrustAnchor(file: der, source: "built in")
  }

  /// Reads a certificate file's bytes, DER or PEM.
  /// - Parameter source: the path, named in every error.
  public init(file bytes: [UInt8], source: String) throws(TrustAnchorError) {
    guard bytes.count <= Self.fileBytesMax else {
      throw .tooLarge(source: source, bytes: bytes.count, limit: Self.fileBytesMax)
    }
    let blocks = String(decoding: bytes, as: UTF8.self).ranges(of: "-----BEGIN CERTIFICATE-----").count
    guard blocks <= 1 else { throw .severalCertificates(source: source, count: blocks) }
    let certificate: Certificate
    do {
      certificate = try blocks == 1 ? Certificate(pem: bytes) : Certificate(der: bytes)
    } catch {
      throw .notCertificate(source: source, reason: error)
    }
    guard certificate.isAuthority else { throw .notAuthority(source: source, subject: certificate.subject) }
    self.certificate = certificate
    self.source = source
  }

  /// Reads a file, DER or PEM.
  public init(path: String) throws(TrustAnchorError) {
    guard let file = fopen(path, "re") else {
      throw .unreadable(source: path, reason: String(cString: strerror(errno)))
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Self.fileBytesMax + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else { throw .unreadable(source: path, reason: String(cString: strerror(errno))) }
    try self.init(file: Array(bytes[..<count]), source: path)
  }

  /// One line for the log of a start: subject, SHA-256, last day, origin.
  public var summary: String {
    "trust anchor: \(certificate.subject); SHA-256 \(certificate.fingerprint); "
      + "valid until \(RFC3339.text(certificate.notAfter)); \(source)"
  }
}

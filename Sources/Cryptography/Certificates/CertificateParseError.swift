/// Why bytes are no certificate.
public enum CertificateParseError: Error, Equatable, CustomStringConvertible {
  case empty
  case tooLarge(bytes: Int, limit: Int)
  case notDER(reason: String)
  case trailingBytes(count: Int)
  /// DER allows one encoding only, and this is another.
  case notCanonical
  case badDates
  case notPEM(reason: String)

  public var description: String {
    switch self {
    case .empty: "no bytes at all"
    case .tooLarge(let bytes, let limit): "\(bytes) bytes, a certificate here has at most \(limit)"
    case .notDER(let reason): "not a certificate in DER (\(reason))"
    case .trailingBytes(let count): "\(count) bytes follow the certificate"
    case .notCanonical: "the encoding is not DER: written again it gives other bytes"
    case .badDates: "the validity dates cannot be read"
    case .notPEM(let reason): "not a certificate in PEM (\(reason))"
    }
  }
}

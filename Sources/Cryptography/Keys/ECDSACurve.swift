/// The two curves Apple's certificates use. The curve settles the digest too, as in JWS (RFC 7518 §3.4).
public enum ECDSACurve: Sendable, Equatable {
  /// P-256 with SHA-256: ES256.
  case p256
  /// P-384 with SHA-384: ES384.
  case p384

  /// OpenSSL's name for it.
  var groupName: String {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    }
  }

  init?(groupName: String) {
    switch groupName {
    case "prime256v1": self = .p256
    case "secp384r1": self = .p384
    default: return nil
    }
  }

  /// Bytes of r, and of s.
  var coordinateBytes: Int { self == .p256 ? 32 : 48 }

  var digest: OpaquePointer { self == .p256 ? Algorithms.sha256 : Algorithms.sha384 }
}

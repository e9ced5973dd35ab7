public import Cryptography
import JSON

/// Makes tokens for one app. Source: App Store Server API, «Generating JSON web tokens for API requests».
///
/// A key of App Store Connect's own API is also a P-256 key in a .p8 file and cannot be told from an In-App Purchase key
/// by looking at it; Apple answers 401 then.
public struct BearerTokenMaker: Sendable {
  /// How far `iat` lies before now, so that a clock a little ahead does not make a token of the future.
  public static let backdatedSeconds: Int64 = 30
  /// From `iat` to `exp`; Apple allows 3600.
  public static let lifeSeconds: Int64 = 300

  public let keyId: String
  public let issuerId: String
  public let bundleId: String
  private let key: ECDSAPrivateKey
  /// What the fingerprint is made of, but the address; asked for at each look at a case.
  private let told: String

  /// - Throws: when a part does not have the form it has in App Store Connect.
  public init(keyId: String, issuerId: String, bundleId: String, key: ECDSAPrivateKey) throws(BearerTokenError) {
    guard Self.isMade(keyId, of: "", max: 64) else { throw .keyId }
    let parts = issuerId.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], parts.allSatisfy({ $0.utf8.allSatisfy(Self.isHexDigit) }) else {
      throw .issuerId
    }
    guard Self.isMade(bundleId, of: ".-", max: 255) else { throw .bundleId }
    guard key.curve == .p256 else { throw .keyCurve }
    self.keyId = keyId
    self.issuerId = issuerId
    self.bundleId = bundleId
    self.key = key
    told = [keyId, issuerId, bundleId, Hex.encode(key.publicKey.der)].joined(separator: "\n")
  }

  /// Tells this key and its settings from others; SHA-256 in hex, of nothing secret.
  /// - Parameter address: where the tokens are shown.
  public func fingerprint(at address: String) -> String {
    SHA256.digest(of: "\(told)\n\(address)".utf8).hex
  }

  /// A new token.
  /// - Parameter now: milliseconds since 1970 UTC.
  public func token(now: Int64) -> BearerToken {
    // Seconds handed in by mistake would be an instant of January 1970.
    precondition(now > 100_000_000_000, "the instant \(now) is not in milliseconds since 1970")
    let issuedAt = now / 1000 - Self.backdatedSeconds
    let expiresAt = issuedAt + Self.lifeSeconds
    let header: JSONValue = ["alg": "ES256", "kid": .string(keyId), "typ": "JWT"]
    let payload: JSONValue = [
      "iss": .string(issuerId), "iat": .number(JSONNumber(issuedAt)), "exp": .number(JSONNumber(expiresAt)),
      "aud": "appstoreconnect-v1", "bid": .string(bundleId),
    ]
    let identity = SigningIdentity(header: header.bytes(), certificates: [], key: key)
    let text = String(decoding: identity.sign(payload.bytes()), as: UTF8.self)
    return BearerToken(text: text, issuedAt: issuedAt, expiresAt: expiresAt)
  }

  private static func isMade(_ text: String, of extra: String, max: Int) -> Bool {
    !text.isEmpty && text.utf8.count <= max
      && text.utf8.allSatisfy { byte in
        (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
          || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) || extra.utf8.contains(byte)
      }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"))
      || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
  }
}

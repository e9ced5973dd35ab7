import Cryptography
import HTTPTypes
import JSON

/// Judges the bearer token of a call by Apple's rules.
/// Source: App Store Server API, «Generating JSON web tokens for API requests».
struct BearerTokenJudge: Sendable {
  /// Longest life of a token, 60 minutes.
  static let lifeSecondsMax: Int64 = 3600
  private static let bytesMax = 4096

  enum Verdict: Equatable {
    /// It speaks for this app.
    case good(bundleId: String)
    /// For people, and without a word of the token.
    case refused(String)
  }

  let keyId: String
  let issuerId: String
  /// The apps of the account; its keys are good for each of them.
  let bundleIds: [String]
  let key: ECDSAPublicKey

  /// - Parameter now: milliseconds since 1970 UTC.
  func judge(_ fields: HTTPFields, now: Int64) -> Verdict {
    var bundleId = ""
    if let fault = fault(in: fields, now: now, &bundleId) { return .refused(fault) }
    return .good(bundleId: bundleId)
  }

  private func fault(in fields: HTTPFields, now: Int64, _ bundleId: inout String) -> String? {
    let values = fields.values(of: "Authorization")
    guard values.count == 1, let value = values.first else { return "there is not exactly one Authorization field" }
    // RFC 9110 §11.1: the scheme's case does not matter.
    guard value.utf8.count > 7, value.prefix(7).lowercased() == "bearer " else {
      return "Authorization does not begin with the word Bearer"
    }
    let token = Array(value.utf8.dropFirst(7))
    guard token.count <= Self.bytesMax else { return "the token is longer than \(Self.bytesMax) bytes" }
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return "the token does not have three parts" }
    guard let header = Self.object(parts[0]), let payload = Self.object(parts[1]) else {
      return "header or payload is no JSON object in base64url without padding"
    }
    if let fault = faultInHeader(header) { return fault }
    guard let signature = Base64URL.decode(parts[2])?.bytes else { return "the signature is not base64url" }
    guard signature.count == 64 else {
      return "the signature has \(signature.count) bytes; ES256 has 64, r then s, not DER"
    }
    guard key.isValid(signature, for: token[..<parts[1].endIndex]) else {
      return "the signature is not by the simulator's api-key.p8"
    }
    bundleId = payload["bid"]?.string ?? ""
    return faultInClaims(payload) ?? Self.faultInTimes(payload, now: now / 1000)
  }

  private func faultInHeader(_ header: JSONValue) -> String? {
    guard header["alg"]?.string == "ES256" else { return "alg is not ES256" }
    guard header["kid"]?.string == keyId else { return "kid is not \(keyId)" }
    guard header["typ"]?.string == "JWT" else { return "typ is not JWT" }
    return nil
  }

  private func faultInClaims(_ payload: JSONValue) -> String? {
    guard payload["iss"]?.string == issuerId else { return "iss is not the issuer id \(issuerId)" }
    guard let app = payload["bid"]?.string, bundleIds.contains(app) else {
      return "bid is not \(bundleIds.joined(separator: " or "))"
    }
    guard payload["aud"]?.string == "appstoreconnect-v1" else { return "aud is not the text appstoreconnect-v1" }
    return nil
  }

  private static func faultInTimes(_ payload: JSONValue, now: Int64) -> String? {
    guard let issuedAt = payload["iat"]?.int64, let expiresAt = payload["exp"]?.int64, issuedAt > 0 else {
      return "iat or exp is absent or no whole number of seconds"
    }
    // Whether Apple allows for clocks that differ is not documented; a rehearsal should find the clock that is ahead.
    guard issuedAt <= now else {
      return "iat lies \(issuedAt - now) s in the future: it is in seconds, not milliseconds, of a clock that is right"
    }
    guard expiresAt > issuedAt else { return "exp is not after iat" }
    guard expiresAt - issuedAt <= lifeSecondsMax else { return "exp is more than \(lifeSecondsMax) s after iat" }
    guard expiresAt > now else { return "the token expired \(now - expiresAt) s ago" }
    return nil
  }

  private static func object(_ text: ArraySlice<UInt8>) -> JSONValue? {
    guard let bytes = Base64URL.decode(text)?.bytes, let value = try? JSONValue(bytes: bytes), value.object != nil
    else {
      return nil
    }
    return value
  }
}

/// One token for calls to the App Store Server API. A secret for the five minutes it lives: printing it shows nothing.
public struct BearerToken: Sendable, CustomStringConvertible, CustomReflectable {
  /// The compact JWS.
  public let text: String
  /// Seconds since 1970, as written in the token.
  public let issuedAt: Int64
  public let expiresAt: Int64

  /// Value of the header `Authorization`.
  public var authorization: String { "Bearer \(text)" }

  public var description: String { "bearer token until \(expiresAt)" }
  public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }
}

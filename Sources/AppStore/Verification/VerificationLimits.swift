/// Bounds of what is looked at. Past any of them a token is refused before anything is decoded.
public struct VerificationLimits: Sendable, Equatable {
  /// Bytes of a whole token. Real notifications have about 19,000.
  public var tokenBytesMax = 1 << 20
  /// Bytes of a token's header as base64url. Real ones have about 4,400.
  public var headerTextBytesMax = 32_768
  /// Arrays and objects inside each other, in a payload.
  public var payloadDepthMax = 32
  /// Values and keys of a payload.
  public var payloadNodesMax = 50_000
  /// Verified headers, chains and refused headers that are kept, each.
  public var cachedMax = 64

  public init() {}
}

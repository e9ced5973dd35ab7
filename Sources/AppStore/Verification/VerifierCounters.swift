/// What a verifier has done since it was made; for metrics and tests.
public struct VerifierCounters: Sendable, Equatable {
  /// Chains whose path was checked with public-key operations, for good or bad.
  public var chainsChecked: Int
  /// Headers found among those already verified.
  public var headersKnown: Int
  /// Headers found among those already refused.
  public var headersKnownRefused: Int

  public init(chainsChecked: Int = 0, headersKnown: Int = 0, headersKnownRefused: Int = 0) {
    self.chainsChecked = chainsChecked
    self.headersKnown = headersKnown
    self.headersKnownRefused = headersKnownRefused
  }
}

/// What a verifier has done since it was made; for metrics and tests.
public struct VerifierCounters: Sendable, Equatable {
  /// Chains whose path was checked with public-key operations, for good or bad.
  public var chainsChecked = 0
  /// Headers found among those already verified.
  public var headersKnown = 0
  /// Headers found among those already refused.
  public var headersKnownRefused = 0
}

/// Why a token is refused: a code for machines that stays the same, and a sentence for people. Neither holds
/// anything of the token but ids and instants.
public struct VerificationRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    /// Not three base64url parts, or the header is not a JSON object we understand.
    case format = "FORMAT"
    /// `alg` is not exactly ES256.
    case algorithm = "ALGORITHM"
    /// `x5c` is absent, no list, or has not three entries.
    case chainLength = "CHAIN_LENGTH"
    /// An entry of `x5c` is not base64 of one certificate in DER.
    case certificateDecode = "CERT_DECODE"
    /// No path leaf, intermediate, trust anchor.
    case chain = "CHAIN"
    /// The leaf lacks Apple's mark of receipt signing.
    case leafOID = "LEAF_OID"
    /// The intermediate lacks Apple's mark of its developer authority.
    case intermediateOID = "INTERMEDIATE_OID"
    /// A certificate is outside its dates at the instant judged, or that instant lies ahead of the clock.
    case validity = "VALIDITY"
    /// The signature does not verify.
    case signature = "SIGNATURE"
    /// The leaf's key is not on P-256.
    case keyType = "KEY_TYPE"
    /// Signed well, but not usable as what it was given as.
    case payload = "PAYLOAD"
    case bundleId = "BUNDLE_ID"
    case appAppleId = "APP_APPLE_ID"
    case environment = "ENVIRONMENT"
  }

  public var code: Code
  public var slot: TokenSlot
  /// What was expected and what came.
  public var explanation: String

  init(_ code: Code, _ explanation: String, slot: TokenSlot = .outer) {
    self.code = code
    self.explanation = explanation
    self.slot = slot
  }

  func at(_ slot: TokenSlot) -> Self { Self(code, explanation, slot: slot) }

  public var description: String {
    slot == .outer ? "\(code.rawValue): \(explanation)" : "\(code.rawValue) in \(slot.rawValue): \(explanation)"
  }
}

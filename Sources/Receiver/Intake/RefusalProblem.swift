import AppStore
import Contracts

extension Problem {
  /// What the sender of a token that can never become good is told.
  init(_ refusal: VerificationRefusal, of token: ArraySlice<UInt8>) {
    self.init(Self.code(of: refusal, token), detail: refusal.description)
  }

  private static func code(of refusal: VerificationRefusal, _ token: ArraySlice<UInt8>) -> ProblemCode {
    switch (refusal.code, refusal.slot) {
    case (.signature, _): return .signatureInvalid
    case (.format, _), (.algorithm, _): return .tokenMalformed
    case (.chainLength, _), (.certificateDecode, _), (.chain, _), (.leafOID, _), (.intermediateOID, _),
      (.validity, _), (.keyType, _):
      return UnprovenClaims(token: token).isLocal ? .locallySigned : .chainNotTrusted
    case (.payload, .outer):
      return UnprovenClaims(token: token).isNotificationWithoutDate ? .signedDateMissing : .notNotification
    case (.payload, _), (.bundleId, _), (.appAppleId, _), (.environment, _): return .innerTokenForeign
    }
  }
}

import AppStore
import Contracts

extension Problem {
  /// What the sender of a body that can never become good is told.
  init(_ refusal: VerificationRefusal) {
    self.init(Self.code(of: refusal), detail: refusal.description)
  }

  private static func code(of refusal: VerificationRefusal) -> ProblemCode {
    switch (refusal.code, refusal.slot) {
    case (.signature, _): .signatureInvalid
    case (.format, _), (.algorithm, _): .tokenMalformed
    case (.chainLength, _), (.certificateDecode, _), (.chain, _), (.leafOID, _), (.intermediateOID, _),
      (.validity, _), (.keyType, _):
      .chainNotTrusted
    case (.payload, .outer): .notNotification
    case (.payload, _), (.bundleId, _), (.appAppleId, _), (.environment, _): .innerTokenForeign
    }
  }
}

public import Cryptography

/// A verdict with every step that led to it.
public struct VerificationExplanation: Sendable {
  /// In the order in which they were taken; the last one is the first that failed, where one did.
  public var steps: [VerificationStep]
  /// Of each token whose header was read: leaf, intermediate, and what is offered as root.
  public var certificates: [TokenSlot: [Certificate]]
  public var verdict: Result<VerifiedNotification, VerificationError>
}

extension SignedDataVerifier {
  /// Verifies a notification as `verifyNotification` does, by the same functions, and tells each step. Nothing that is
  /// remembered of earlier tokens is used, so that no step is passed over.
  public func explainNotification(_ signedPayload: ArraySlice<UInt8>) -> VerificationExplanation {
    let trace = VerificationTrace()
    let verdict: Result<VerifiedNotification, VerificationError>
    do throws(VerificationError) {
      verdict = .success(try verifyNotification(signedPayload, trace: trace))
    } catch {
      trace.fail(error.refusal)
      verdict = .failure(error)
    }
    return VerificationExplanation(steps: trace.steps, certificates: trace.certificates, verdict: verdict)
  }
}

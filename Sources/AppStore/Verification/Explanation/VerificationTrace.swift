import Cryptography

/// Notes what a verifier does, step by step. The functions that decide fill it, so it can say nothing else than they do.
/// Belongs to one thread.
final class VerificationTrace {
  private(set) var steps: [VerificationStep] = []
  /// Of each token, as far as they could be read: leaf, intermediate, and what is offered as root.
  private(set) var certificates: [TokenSlot: [Certificate]] = [:]
  /// The token that is looked at.
  var slot = TokenSlot.outer
  private var begun: VerificationStep.Name?

  func begin(_ name: VerificationStep.Name) { begun = name }

  /// Ends the step that was begun.
  func pass(_ words: String) {
    guard let name = begun else { preconditionFailure("a step ends that was not begun") }
    steps.append(VerificationStep(slot: slot, name: name, failure: nil, words: words))
    begun = nil
  }

  /// Ends the step that was begun with the reason for which everything ended.
  func fail(_ refusal: VerificationRefusal) {
    guard let name = begun else { return }
    steps.append(VerificationStep(slot: slot, name: name, failure: refusal.code, words: refusal.explanation))
    begun = nil
  }

  func note(_ certificate: Certificate) { certificates[slot, default: []].append(certificate) }
}

/// One check of one token, with its result in words.
public struct VerificationStep: Sendable, Equatable {
  /// In the order in which a token goes through them; docs/verification.md says what each is.
  public enum Name: String, Sendable, CaseIterable {
    /// Size, two dots.
    case parts
    /// Base64url of one JSON object, read strictly.
    case header
    case algorithm
    /// Three, each one certificate.
    case certificates
    /// Leaf, intermediate, trust anchor.
    case chain
    /// Apple's two marks, and the leaf's curve.
    case marks
    case signature
    /// One JSON object, read strictly.
    case payload
    /// When it was signed, and the certificates' dates then.
    case date
    /// Notification, transaction, renewal info, app transaction.
    case kind
    /// An inner token is about the app and environment of the outer one.
    case belonging
    /// Nothing is missing that every further step needs.
    case usable
  }

  public var slot: TokenSlot
  public var name: Name
  /// Why it failed; nil where it passed.
  public var failure: VerificationRefusal.Code?
  /// What was found; holds ids, sizes and instants, nothing else of a payload.
  public var words: String

  public var passed: Bool { failure == nil }
}

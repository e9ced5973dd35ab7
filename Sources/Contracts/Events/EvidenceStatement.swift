/// What somebody says about a purchase.
public enum EvidenceStatement: Sendable, Equatable {
  case values(EvidenceValues)
  /// The author does not know this purchase.
  case unknownPurchase
}

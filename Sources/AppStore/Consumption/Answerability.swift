import JSON

/// Whether Apple takes an answer about a purchase, and at which endpoint.
public enum Answerability: Sendable, Hashable {
  /// Version 2, `ConsumptionRequest`.
  case version2
  /// A purchase of the Advanced Commerce API: version 1 only.
  case version1
  case notAnswerable(Reason)

  public enum Reason: String, Sendable, Hashable, CustomStringConvertible {
    case familyShared, assigned

    public var description: String {
      switch self {
      case .familyShared: "Apple takes no answer for a purchase shared in a family; the purchaser's own is answered"
      case .assigned: "Apple takes no answer for a seat assigned by someone else; the purchaser's own is answered"
      }
    }
  }
}

extension JWSTransactionDecodedPayload {
  /// An ownership that is absent or that we do not know counts as the customer's own: at worst Apple refuses the answer,
  /// while keeping silent would lose the request.
  public var answerability: Answerability {
    switch inAppOwnershipType {
    case .familyShared: return .notAnswerable(.familyShared)
    case .assigned: return .notAnswerable(.assigned)
    case .purchased, .unknown, nil: break
    }
    guard let marker = view["advancedCommerceInfo"], !marker.isNull else { return .version2 }
    return .version1
  }
}

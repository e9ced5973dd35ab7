import AppStore

/// What the sandbox makes of the sheet in which a customer asks for a refund: any reason approves by itself; under «Other»
/// the text DECLINE declines, and GRANT_PRORATED gives a part.
/// Source: StoreKit, «Testing refund requests».
enum RefundSheet {
  /// - Parameters:
  ///   - reason: `consumptionRequestReason`.
  ///   - typed: the text under «Other».
  static func decision(reason: String?, typed: String?) -> Decision {
    guard reason == ConsumptionRequestReason.other.rawValue else { return Decision(.refund) }
    return switch typed {
    case "DECLINE": Decision(.declined)
    case "GRANT_PRORATED": .prorated
    default: Decision(.refund)
    }
  }
}

/// Why the customer asks for a refund. Source: App Store Server Notifications, «consumptionRequestReason».
public enum ConsumptionRequestReason: OpenText {
  case unintendedPurchase, fulfillmentIssue, unsatisfiedWithPurchase, legal, other
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "UNINTENDED_PURCHASE": self = .unintendedPurchase
    case "FULFILLMENT_ISSUE": self = .fulfillmentIssue
    case "UNSATISFIED_WITH_PURCHASE": self = .unsatisfiedWithPurchase
    case "LEGAL": self = .legal
    case "OTHER": self = .other
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .unintendedPurchase: "UNINTENDED_PURCHASE"
    case .fulfillmentIssue: "FULFILLMENT_ISSUE"
    case .unsatisfiedWithPurchase: "UNSATISFIED_WITH_PURCHASE"
    case .legal: "LEGAL"
    case .other: "OTHER"
    case .unknown(let rawValue): rawValue
    }
  }
}

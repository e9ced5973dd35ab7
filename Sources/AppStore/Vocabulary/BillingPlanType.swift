/// How a commitment is billed, since API 1.21. Source: App Store Server API, «billingPlanType».
public enum BillingPlanType: OpenText {
  case billedUpfront, monthly
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "BILLED_UPFRONT": self = .billedUpfront
    case "MONTHLY": self = .monthly
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .billedUpfront: "BILLED_UPFRONT"
    case .monthly: "MONTHLY"
    case .unknown(let rawValue): rawValue
    }
  }
}

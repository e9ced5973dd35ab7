/// How an offer is paid. Source: App Store Server API, «offerDiscountType».
public enum OfferDiscountType: OpenText {
  case freeTrial, payAsYouGo, payUpFront, oneTime
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "FREE_TRIAL": self = .freeTrial
    case "PAY_AS_YOU_GO": self = .payAsYouGo
    case "PAY_UP_FRONT": self = .payUpFront
    case "ONE_TIME": self = .oneTime
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .freeTrial: "FREE_TRIAL"
    case .payAsYouGo: "PAY_AS_YOU_GO"
    case .payUpFront: "PAY_UP_FRONT"
    case .oneTime: "ONE_TIME"
    case .unknown(let rawValue): rawValue
    }
  }
}

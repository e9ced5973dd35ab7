/// What kind of offer a price came from. Source: App Store Server API, «offerType».
public enum OfferType: OpenNumber {
  case introductory, promotional, offerCode, winBack
  case unknown(Int64)

  public init(rawValue: Int64) {
    switch rawValue {
    case 1: self = .introductory
    case 2: self = .promotional
    case 3: self = .offerCode
    case 4: self = .winBack
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: Int64 {
    switch self {
    case .introductory: 1
    case .promotional: 2
    case .offerCode: 3
    case .winBack: 4
    case .unknown(let rawValue): rawValue
    }
  }
}

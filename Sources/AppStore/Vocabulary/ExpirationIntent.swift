/// Why a subscription ended. Source: App Store Server API, «expirationIntent».
public enum ExpirationIntent: OpenNumber {
  case canceled, billingError, priceIncreaseRefused, productUnavailable, other
  case unknown(Int64)

  public init(rawValue: Int64) {
    switch rawValue {
    case 1: self = .canceled
    case 2: self = .billingError
    case 3: self = .priceIncreaseRefused
    case 4: self = .productUnavailable
    case 5: self = .other
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: Int64 {
    switch self {
    case .canceled: 1
    case .billingError: 2
    case .priceIncreaseRefused: 3
    case .productUnavailable: 4
    case .other: 5
    case .unknown(let rawValue): rawValue
    }
  }
}

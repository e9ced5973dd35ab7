/// How a subscription stands now, which need not be how the purchase at hand stands.
/// Source: App Store Server API, «status».
public enum SubscriptionStatus: OpenNumber {
  case active, expired, billingRetry, gracePeriod, revoked
  case unknown(Int64)

  public init(rawValue: Int64) {
    switch rawValue {
    case 1: self = .active
    case 2: self = .expired
    case 3: self = .billingRetry
    case 4: self = .gracePeriod
    case 5: self = .revoked
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: Int64 {
    switch self {
    case .active: 1
    case .expired: 2
    case .billingRetry: 3
    case .gracePeriod: 4
    case .revoked: 5
    case .unknown(let rawValue): rawValue
    }
  }
}

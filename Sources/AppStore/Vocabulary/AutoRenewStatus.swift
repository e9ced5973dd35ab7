/// Whether a subscription will renew. Source: App Store Server API, «autoRenewStatus».
public enum AutoRenewStatus: OpenNumber {
  case off, on
  case unknown(Int64)

  public init(rawValue: Int64) {
    switch rawValue {
    case 0: self = .off
    case 1: self = .on
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: Int64 {
    switch self {
    case .off: 0
    case .on: 1
    case .unknown(let rawValue): rawValue
    }
  }
}

/// Whose fault a refund was. Source: App Store Server API, «revocationReason».
public enum RevocationReason: OpenNumber {
  case other, faultInApp
  case unknown(Int64)

  public init(rawValue: Int64) {
    switch rawValue {
    case 0: self = .other
    case 1: self = .faultInApp
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: Int64 {
    switch self {
    case .other: 0
    case .faultInApp: 1
    case .unknown(let rawValue): rawValue
    }
  }
}

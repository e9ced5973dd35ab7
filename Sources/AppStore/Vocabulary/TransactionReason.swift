/// Whether a customer bought or the store renewed. Source: App Store Server API, «transactionReason».
public enum TransactionReason: OpenText {
  case purchase, renewal
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "PURCHASE": self = .purchase
    case "RENEWAL": self = .renewal
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .purchase: "PURCHASE"
    case .renewal: "RENEWAL"
    case .unknown(let rawValue): rawValue
    }
  }
}

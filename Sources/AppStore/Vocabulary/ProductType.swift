/// What kind of product was bought. Source: App Store Server API, «type».
public enum ProductType: OpenText {
  case autoRenewableSubscription, nonConsumable, consumable, nonRenewingSubscription
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "Auto-Renewable Subscription": self = .autoRenewableSubscription
    case "Non-Consumable": self = .nonConsumable
    case "Consumable": self = .consumable
    case "Non-Renewing Subscription": self = .nonRenewingSubscription
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .autoRenewableSubscription: "Auto-Renewable Subscription"
    case .nonConsumable: "Non-Consumable"
    case .consumable: "Consumable"
    case .nonRenewingSubscription: "Non-Renewing Subscription"
    case .unknown(let rawValue): rawValue
    }
  }
}

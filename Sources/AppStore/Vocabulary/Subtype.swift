/// Which of several cases of its type a notification is. Source: App Store Server Notifications, «subtype».
public enum Subtype: OpenText {
  case accepted, activeTokenReminder, autoRenewDisabled, autoRenewEnabled, billingRecovery, billingRetry
  case created, downgrade, failure, gracePeriod, initialBuy, pending, priceIncrease, productNotForSale
  case resubscribe, seats, summary, unreported, upgrade, voluntary
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "ACCEPTED": self = .accepted
    case "ACTIVE_TOKEN_REMINDER": self = .activeTokenReminder
    case "AUTO_RENEW_DISABLED": self = .autoRenewDisabled
    case "AUTO_RENEW_ENABLED": self = .autoRenewEnabled
    case "BILLING_RECOVERY": self = .billingRecovery
    case "BILLING_RETRY": self = .billingRetry
    case "CREATED": self = .created
    case "DOWNGRADE": self = .downgrade
    case "FAILURE": self = .failure
    case "GRACE_PERIOD": self = .gracePeriod
    case "INITIAL_BUY": self = .initialBuy
    case "PENDING": self = .pending
    case "PRICE_INCREASE": self = .priceIncrease
    case "PRODUCT_NOT_FOR_SALE": self = .productNotForSale
    case "RESUBSCRIBE": self = .resubscribe
    case "SEATS": self = .seats
    case "SUMMARY": self = .summary
    case "UNREPORTED": self = .unreported
    case "UPGRADE": self = .upgrade
    case "VOLUNTARY": self = .voluntary
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .accepted: "ACCEPTED"
    case .activeTokenReminder: "ACTIVE_TOKEN_REMINDER"
    case .autoRenewDisabled: "AUTO_RENEW_DISABLED"
    case .autoRenewEnabled: "AUTO_RENEW_ENABLED"
    case .billingRecovery: "BILLING_RECOVERY"
    case .billingRetry: "BILLING_RETRY"
    case .created: "CREATED"
    case .downgrade: "DOWNGRADE"
    case .failure: "FAILURE"
    case .gracePeriod: "GRACE_PERIOD"
    case .initialBuy: "INITIAL_BUY"
    case .pending: "PENDING"
    case .priceIncrease: "PRICE_INCREASE"
    case .productNotForSale: "PRODUCT_NOT_FOR_SALE"
    case .resubscribe: "RESUBSCRIBE"
    case .seats: "SEATS"
    case .summary: "SUMMARY"
    case .unreported: "UNREPORTED"
    case .upgrade: "UPGRADE"
    case .voluntary: "VOLUNTARY"
    case .unknown(let rawValue): rawValue
    }
  }
}

/// What a notification is about. Source: App Store Server Notifications, «notificationType».
public enum NotificationType: OpenText {
  case consumptionRequest, didChangeRenewalPref, didChangeRenewalStatus, didFailToRenew, didRenew, expired
  case externalPurchaseToken, gracePeriodExpired, metadataUpdate, migration, offerRedeemed, oneTimeCharge
  case priceChange, priceIncrease, refund, refundDeclined, refundReversed, renewalExtended, renewalExtension
  case rescindConsent, revoke, subscribed, test, unclaimSeats
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "CONSUMPTION_REQUEST": self = .consumptionRequest
    case "DID_CHANGE_RENEWAL_PREF": self = .didChangeRenewalPref
    case "DID_CHANGE_RENEWAL_STATUS": self = .didChangeRenewalStatus
    case "DID_FAIL_TO_RENEW": self = .didFailToRenew
    case "DID_RENEW": self = .didRenew
    case "EXPIRED": self = .expired
    case "EXTERNAL_PURCHASE_TOKEN": self = .externalPurchaseToken
    case "GRACE_PERIOD_EXPIRED": self = .gracePeriodExpired
    case "METADATA_UPDATE": self = .metadataUpdate
    case "MIGRATION": self = .migration
    case "OFFER_REDEEMED": self = .offerRedeemed
    case "ONE_TIME_CHARGE": self = .oneTimeCharge
    case "PRICE_CHANGE": self = .priceChange
    case "PRICE_INCREASE": self = .priceIncrease
    case "REFUND": self = .refund
    case "REFUND_DECLINED": self = .refundDeclined
    case "REFUND_REVERSED": self = .refundReversed
    case "RENEWAL_EXTENDED": self = .renewalExtended
    case "RENEWAL_EXTENSION": self = .renewalExtension
    case "RESCIND_CONSENT": self = .rescindConsent
    case "REVOKE": self = .revoke
    case "SUBSCRIBED": self = .subscribed
    case "TEST": self = .test
    case "UNCLAIM_SEATS": self = .unclaimSeats
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .consumptionRequest: "CONSUMPTION_REQUEST"
    case .didChangeRenewalPref: "DID_CHANGE_RENEWAL_PREF"
    case .didChangeRenewalStatus: "DID_CHANGE_RENEWAL_STATUS"
    case .didFailToRenew: "DID_FAIL_TO_RENEW"
    case .didRenew: "DID_RENEW"
    case .expired: "EXPIRED"
    case .externalPurchaseToken: "EXTERNAL_PURCHASE_TOKEN"
    case .gracePeriodExpired: "GRACE_PERIOD_EXPIRED"
    case .metadataUpdate: "METADATA_UPDATE"
    case .migration: "MIGRATION"
    case .offerRedeemed: "OFFER_REDEEMED"
    case .oneTimeCharge: "ONE_TIME_CHARGE"
    case .priceChange: "PRICE_CHANGE"
    case .priceIncrease: "PRICE_INCREASE"
    case .refund: "REFUND"
    case .refundDeclined: "REFUND_DECLINED"
    case .refundReversed: "REFUND_REVERSED"
    case .renewalExtended: "RENEWAL_EXTENDED"
    case .renewalExtension: "RENEWAL_EXTENSION"
    case .rescindConsent: "RESCIND_CONSENT"
    case .revoke: "REVOKE"
    case .subscribed: "SUBSCRIBED"
    case .test: "TEST"
    case .unclaimSeats: "UNCLAIM_SEATS"
    case .unknown(let rawValue): rawValue
    }
  }
}

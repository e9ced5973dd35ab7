/// Why Apple would refuse a body. Names the member and the rule.
public enum ConsumptionRequestError: Error, Equatable, CustomStringConvertible {
  case percentageOutOfRange(Int64)
  /// A subscription's share is worked out by the store; even 0 is refused.
  case percentageOnSubscription(Int64)
  case percentageOnUndelivered(Int64, DeliveryStatus)
  /// Without subscription, a prorated grant needs a share strictly between nothing and all.
  case proratedWithoutShare(Int64?)
  /// Of a product type that we do not know, only what holds for all types may be said.
  case unknownProductType(String, member: String)
  /// Version 1 is for consumables and auto-renewable subscriptions alone.
  case productTypeOfVersion1(String)
  /// The account token of version 1 is a UUID or empty.
  case accountTokenNotUUID

  /// The member of the body that the rule is about.
  public var member: String {
    switch self {
    case .percentageOutOfRange, .percentageOnSubscription, .percentageOnUndelivered: "consumptionPercentage"
    case .proratedWithoutShare: "refundPreference"
    case .unknownProductType(_, let member): member
    // Not a member of the body: Apple looks at the purchase.
    case .productTypeOfVersion1: "type"
    case .accountTokenNotUUID: "appAccountToken"
    }
  }

  public var description: String {
    switch self {
    case .percentageOutOfRange(let found):
      "consumptionPercentage is \(found); it is 0 to 100000, in thousandths of a percent"
    case .percentageOnSubscription(let found):
      "consumptionPercentage is \(found) on an auto-renewable subscription; it must be left out there, even 0"
    case .percentageOnUndelivered(let found, let status):
      "consumptionPercentage is \(found) with deliveryStatus \(status.rawValue); what was not delivered is used 0 or not "
        + "at all stated"
    case .proratedWithoutShare(let found):
      "refundPreference GRANT_PRORATED needs a consumptionPercentage from 1 to 99999, it is "
        + (found.map(String.init) ?? "absent")
    case .unknownProductType(let type, let member):
      "\(member) cannot be stated for the product type «\(type.prefix(100))», whose rules are not known"
    case .productTypeOfVersion1(let type):
      "the product type «\(type.prefix(100))» is not answered at endpoint version 1, which takes consumables and "
        + "auto-renewable subscriptions"
    case .accountTokenNotUUID: "appAccountToken is neither a UUID nor empty"
    }
  }
}

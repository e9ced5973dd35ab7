/// How the customer comes to have the purchase. Source: App Store Server API, «inAppOwnershipType».
public enum OwnershipType: OpenText {
  case purchased, familyShared, assigned
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "PURCHASED": self = .purchased
    case "FAMILY_SHARED": self = .familyShared
    case "ASSIGNED": self = .assigned
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .purchased: "PURCHASED"
    case .familyShared: "FAMILY_SHARED"
    case .assigned: "ASSIGNED"
    case .unknown(let rawValue): rawValue
    }
  }
}

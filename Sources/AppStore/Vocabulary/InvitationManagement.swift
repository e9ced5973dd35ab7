/// Who invites the holders of seats, since API 1.23. Source: App Store Server API, «multiSeatInfo».
public enum InvitationManagement: OpenText {
  case apple, developer
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "APPLE": self = .apple
    case "DEVELOPER": self = .developer
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .apple: "APPLE"
    case .developer: "DEVELOPER"
    case .unknown(let rawValue): rawValue
    }
  }
}

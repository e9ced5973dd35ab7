/// Where a purchase was made, as a payload tells it. Source: App Store Server API, «environment».
public enum Environment: OpenText {
  case production, sandbox, xcode, localTesting
  case unknown(String)

  public init(rawValue: String) {
    switch rawValue {
    case "Production": self = .production
    case "Sandbox": self = .sandbox
    case "Xcode": self = .xcode
    case "LocalTesting": self = .localTesting
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .production: "Production"
    case .sandbox: "Sandbox"
    case .xcode: "Xcode"
    case .localTesting: "LocalTesting"
    case .unknown(let rawValue): rawValue
    }
  }
}

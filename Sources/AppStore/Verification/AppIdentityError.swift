/// Why an app cannot be configured so.
public enum AppIdentityError: Error, Equatable, CustomStringConvertible {
  case bundleIdEmpty
  case bundleIdMalformed(String)
  case noEnvironment(bundleId: String)
  /// Production notifications are told apart by the numeric app id too, so it must be known.
  case appAppleIdMissing(bundleId: String)
  case appAppleIdNotPositive(bundleId: String, Int64)

  public var description: String {
    switch self {
    case .bundleIdEmpty: "an app without a bundle id"
    case .bundleIdMalformed(let bundleId):
      "«\(bundleId.prefix(100))» is no bundle id: it has at most 155 letters, digits, hyphens and dots"
    case .noEnvironment(let bundleId): "\(bundleId) has no environment: name Production, Sandbox or both"
    case .appAppleIdMissing(let bundleId):
      "\(bundleId) is set up for Production without its app id: add the number shown in App Store Connect under "
        + "App Information, «Apple ID»"
    case .appAppleIdNotPositive(let bundleId, let found):
      "\(bundleId) has the app id \(found); it is a positive number shown in App Store Connect"
    }
  }
}

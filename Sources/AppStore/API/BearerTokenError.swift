/// Why tokens cannot be made with these settings. Names the setting.
public enum BearerTokenError: Error, Equatable, CustomStringConvertible {
  case keyId
  case issuerId
  case bundleId
  case keyCurve

  public var description: String {
    switch self {
    case .keyId: "the key id is 1 to 64 letters and digits, as shown beside the key in App Store Connect"
    case .issuerId: "the issuer id is a UUID, as shown above the keys in App Store Connect"
    case .bundleId: "the bundle id is 1 to 255 letters, digits, dots and hyphens"
    case .keyCurve: "the key is not on P-256: use the In-App Purchase key (.p8) from App Store Connect"
    }
  }
}

public import HTTPTypes

/// Why a text is no address of the App Store Server API.
public enum AppStoreAddressError: Error, Equatable, CustomStringConvertible {
  case notURL(HTTPURLError)
  case query
  case plainText(host: String)

  public var description: String {
    switch self {
    case .notURL(let reason): "no address of the App Store Server API: \(reason)"
    case .query: "an address of the App Store Server API has no query"
    case .plainText(let host):
      "http://\(host) would send tokens unencrypted; http:// is for this machine itself, or where the setting allows it"
    }
  }
}

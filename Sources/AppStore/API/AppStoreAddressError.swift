/// Why a text is no address of the App Store Server API.
public enum AppStoreAddressError: Error, Equatable, CustomStringConvertible {
  case notHTTP(String)
  case plainText(String)
  case malformed(String)

  public var description: String {
    switch self {
    case .notHTTP(let text): "«\(text.prefix(200))» does not begin with https://"
    case .plainText(let text):
      "«\(text.prefix(200))» would send tokens unencrypted; http:// is allowed for this machine itself, or when the "
        + "setting says so"
    case .malformed(let text):
      "«\(text.prefix(200))» is not scheme, host, optional port and path, such as https://api.storekit.apple.com"
    }
  }
}

public import HTTPTypes

/// Where the App Store Server API of one environment is.
public struct AppStoreAddress: Sendable, Hashable, CustomStringConvertible {
  /// The hosts that Apple recommends since 2026-05-05.
  public static let production = builtIn("https://api.storekit.apple.com")
  public static let sandbox = builtIn("https://api.storekit-sandbox.apple.com")

  /// Host, port, and a path that stands before every call's own; «/» alone counts as none.
  public let base: HTTPURL

  /// - Parameters:
  ///   - text: such as `https://api.storekit.apple.com` or `http://127.0.0.1:8081`.
  ///   - allowsPlainText: whether http:// may lead off this machine.
  public init(_ text: String, allowsPlainText: Bool = false) throws(AppStoreAddressError) {
    do {
      base = try HTTPURL(text)
    } catch {
      throw .notURL(error)
    }
    guard base.target.query == nil else { throw .query }
    let isThisMachine = ["127.0.0.1", "localhost", "::1"].contains(base.origin.host)
    guard base.origin.scheme == .https || isThisMachine || allowsPlainText else {
      throw .plainText(host: base.origin.host)
    }
  }

  private static func builtIn(_ text: String) -> AppStoreAddress {
    do {
      return try AppStoreAddress(text)
    } catch {
      preconditionFailure("a built-in address is none: \(error)")
    }
  }

  /// The address of one call; nil where the path is none.
  func url(_ path: String) -> HTTPURL? {
    var prefix = base.target.path
    while prefix.hasSuffix("/") { prefix.removeLast() }
    guard let target = HTTPTarget(prefix + path) else { return nil }
    var url = base
    url.target = target
    return url
  }

  public var description: String { base.description }
}

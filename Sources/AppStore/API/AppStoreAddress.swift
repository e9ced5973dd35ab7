/// Where the App Store Server API of one environment is.
public struct AppStoreAddress: Sendable, Hashable, CustomStringConvertible {
  /// The hosts that Apple recommends since 2026-05-05.
  public static let production = AppStoreAddress(verified: "https://api.storekit.apple.com")
  public static let sandbox = AppStoreAddress(verified: "https://api.storekit-sandbox.apple.com")

  /// Without a slash at the end.
  public let text: String

  /// - Parameters:
  ///   - text: such as `https://api.storekit.apple.com` or `http://127.0.0.1:8081`.
  ///   - allowsPlainText: whether http:// may lead off this machine.
  public init(_ text: String, allowsPlainText: Bool = false) throws(AppStoreAddressError) {
    let isPlain = text.utf8.starts(with: "http://".utf8)
    guard isPlain || text.utf8.starts(with: "https://".utf8) else { throw .notHTTP(text) }
    var rest = text.dropFirst(isPlain ? 7 : 8)
    while rest.last == "/" { rest.removeLast() }
    let host = rest.prefix { $0 != "/" }
    let isClean = rest.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7f && !"\"#<>?@\\^`{|}%".utf8.contains(byte)
    }
    guard !host.isEmpty, host.first != ":", rest.utf8.count <= 1000, isClean else { throw .malformed(text) }
    let isThisMachine = ["127.0.0.1", "localhost", "[::1]"].contains { name in
      host == name || host.hasPrefix("\(name):")
    }
    guard !isPlain || isThisMachine || allowsPlainText else { throw .plainText(text) }
    self.text = (isPlain ? "http://" : "https://") + rest
  }

  private init(verified text: String) { self.text = text }

  public var description: String { text }
}

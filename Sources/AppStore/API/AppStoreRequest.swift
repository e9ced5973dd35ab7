/// One call to the App Store Server API, ready to be sent.
public struct AppStoreRequest: Sendable, CustomStringConvertible {
  public var method: String
  public var url: String
  /// In the order to be sent; one of them is a secret.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public var description: String { "\(method) \(url), \(body.count) bytes" }
}

public import HTTPTypes

/// One call to the App Store Server API, ready to be sent. Printing it shows no field, as one is a secret.
public struct AppStoreRequest: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  public var method: HTTPMethod
  public var url: HTTPURL
  public var fields: HTTPFields
  public var body: [UInt8]

  public var description: String { "\(method) \(url), \(body.count) bytes" }
  public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

public import HTTPTypes

/// A request to be sent.
public struct HTTPClientRequest: Hashable, Sendable {
  public var method: HTTPMethod
  public var url: HTTPURL
  /// Host, Content-Length, Transfer-Encoding, Connection and Date are the client's business: fields of these names are not
  /// sent.
  public var fields: HTTPFields
  public var body: [UInt8]

  public init(_ method: HTTPMethod, _ url: HTTPURL, fields: HTTPFields = [:], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}

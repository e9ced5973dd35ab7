/// A request as a server receives it: complete, with its body.
public struct HTTPRequest: Hashable, Sendable {
  public var method: HTTPMethod
  public var target: HTTPTarget
  /// Host and port the client meant: the Host field, or the authority of an absolute target, which wins
  /// (RFC 9112 §3.2.2). Empty when the client named none.
  public var authority: String
  public var fields: HTTPFields
  /// Content with its framing removed; trailers are dropped.
  public var body: [UInt8]
  /// Numeric address of the peer, as in `127.0.0.1` or `::1`, without port; empty when unknown. Behind a reverse proxy it
  /// is the proxy's.
  public var remoteAddress: String

  public init(
    method: HTTPMethod, target: HTTPTarget, authority: String = "", fields: HTTPFields = [:], body: [UInt8] = [],
    remoteAddress: String = ""
  ) {
    self.method = method
    self.target = target
    self.authority = authority
    self.fields = fields
    self.body = body
    self.remoteAddress = remoteAddress
  }
}

public import HTTPTypes

/// Answers requests. Called on a network thread, which serves many connections: whatever blocks is handed to
/// another thread together with the `HTTPReply`.
public typealias HTTPHandler = @Sendable (HTTPRequest, HTTPReply) -> Void

/// Answers requests of one route; `parameters` are the named parts of its path, percent-decoded.
public typealias HTTPRouteHandler =
  @Sendable (_ request: HTTPRequest, _ parameters: [String: String], _ reply: HTTPReply) -> Void

extension HTTPRouter where Handler == HTTPRouteHandler {
  /// The whole table as one handler.
  public var handler: HTTPHandler {
    { request, reply in
      switch match(request.method, request.target) {
      case .found(let handler, let parameters): handler(request, parameters, reply)
      case .reply(let response): reply(response)
      }
    }
  }
}

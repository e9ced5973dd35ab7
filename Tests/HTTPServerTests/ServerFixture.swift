import HTTPServer
import HTTPTypes
import Service

/// A running server on a free port, stopped when the test lets go of it.
final class ServerFixture: Sendable {
  let server: HTTPServer
  let port: UInt16

  init(
    _ change: (inout HTTPServerSettings) -> Void, handler: @escaping HTTPHandler = ServerFixture.echo
  ) throws {
    var settings = HTTPServerSettings()
    settings.threads = 1
    settings.lingerMilliseconds = 200
    settings.stopMilliseconds = 3000
    change(&settings)
    server = HTTPServer(settings: settings, clock: .fixed(784_111_777_000), handler: handler)
    port = try server.start()
  }

  convenience init(handler: @escaping HTTPHandler = ServerFixture.echo) throws {
    try self.init({ _ in }, handler: handler)
  }

  deinit { server.stop() }

  /// Says what it was asked: method, target, length of the body, address of the client.
  static let echo: HTTPHandler = { request, reply in
    reply(.text("\(request.method) \(request.target) \(request.body.count) \(request.remoteAddress)"))
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}

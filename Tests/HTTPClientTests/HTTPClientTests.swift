import Glibc
import HTTPClient
import HTTPServer
import HTTPTypes
import Service
import Testing

@Suite("A client", .timeLimit(.minutes(5)))
struct HTTPClientTests {
  static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  @Test("sends what it is given to a server of ours, over one connection")
  func kept() throws {
    var settings = HTTPServerSettings()
    settings.threads = 1
    // A second connection would never be served.
    settings.connectionsMax = 1
    let server = HTTPServer(settings: settings) { request, reply in
      reply(
        .json(request.body, status: 201, fields: ["X-Seen": "\(request.method) \(request.target) \(request.authority)"])
      )
    }
    let port = try server.start()
    defer { server.stop() }
    let client = HTTPClient()
    for size in [0, 5, 900_000] {
      let body = [UInt8](repeating: 65, count: size)
      let url = try HTTPURL("http://127.0.0.1:\(port)/a?b=\(size)")
      let reply = try client.send(HTTPClientRequest(.post, url, fields: ["Accept": "*/*"], body: body))
      #expect(reply.status == 201)
      #expect(reply.body == body)
      #expect(reply.fields["x-seen"] == "POST /a?b=\(size) 127.0.0.1:\(port)")
    }
    client.closeKept()
  }

  @Test("takes HEAD, 204 and an early refusal of a large body")
  func replies() throws {
    let server = HTTPServer(settings: .init()) { request, reply in
      reply(request.method == .head ? .text("not sent") : .empty(204))
    }
    let port = try server.start()
    defer { server.stop() }
    let client = HTTPClient()
    let url = try HTTPURL("http://127.0.0.1:\(port)/")
    let head = try client.send(.init(.head, url))
    #expect(head.body.isEmpty && head.fields["Content-Length"] == "8")
    #expect(try client.send(.init(.get, url)).status == 204)
    #expect(try client.send(.init(.put, url, body: [UInt8](repeating: 0, count: 2_000_000))).status == 413)
    #expect(try client.send(.init(.get, url)).status == 204)
  }

  @Test("opens a new connection when the server has closed the kept one meanwhile")
  func reopened() throws {
    let server = RawServer(scripts: [
      { connection in
        connection.request()
        connection.send(Self.ok)
      },
      { connection in
        connection.request()
        connection.send(Self.ok)
      },
    ])
    let client = HTTPClient()
    let request = HTTPClientRequest(.get, try HTTPURL("http://127.0.0.1:\(server.port)/"))
    #expect(try client.send(request).status == 200)
    // The first connection is closed for sure once the second script could begin.
    _ = Monitor(0).wait(until: MonotonicClock.milliseconds() + 30) { _ in Int?.none }
    #expect(try client.send(request).status == 200)
    server.join()
    #expect(server.connections == 2)
  }

  @Test("does not send again when the kept connection fails after the request has left", arguments: [false, true])
  func notTwice(resets: Bool) throws {
    let server = RawServer(scripts: [
      { connection in
        connection.request()
        connection.send(Self.ok)
        connection.request()
        if resets { connection.reset() }
      }
    ])
    let client = HTTPClient()
    let request = HTTPClientRequest(.put, try HTTPURL("http://127.0.0.1:\(server.port)/"), body: [1])
    #expect(try client.send(request).status == 200)
    expect(.firstByte, mayHaveReached: true) { try client.send(request) }
    server.join()
    #expect(server.connections == 1)
  }

  @Test(
    "does not keep a connection that says more than the reply, or that is closing",
    arguments: [
      ok + "x", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ])
  func notKept(reply: String) throws {
    let script: @Sendable (RawServer.Connection) -> Void = { connection in
      connection.request()
      connection.send(reply)
      connection.waitForEnd()
    }
    let server = RawServer(scripts: [script, script])
    let client = HTTPClient()
    let request = HTTPClientRequest(.get, try HTTPURL("http://127.0.0.1:\(server.port)/"))
    #expect(try client.send(request).status == 200)
    #expect(try client.send(request).status == 200)
    client.closeKept()
    server.join()
    #expect(server.connections == 2)
  }

  @Test(
    "takes no reply that is cut, too large or no HTTP",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Le",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 101),
      "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 200), "SSH-2.0-server\r\n",
    ])
  func badReply(bytes: String) throws {
    let server = RawServer(scripts: [
      { connection in
        connection.request()
        connection.send(bytes)
      }
    ])
    var settings = HTTPClientSettings()
    settings.limits = HTTPLimits(headBytesMax: 150, bodyBytesMax: 100)
    let client = HTTPClient(settings: settings)
    let url = try HTTPURL("http://127.0.0.1:\(server.port)/")
    expect(.reply, mayHaveReached: true) { try client.send(.init(.get, url)) }
  }

  @Test("sends no field that could end its line, and says so")
  func injection() throws {
    let url = try HTTPURL("http://127.0.0.1:1/")
    let client = HTTPClient()
    expect(.request, mayHaveReached: false) { try client.send(.init(.get, url, fields: ["X": "a\r\nY: b"])) }
    expect(.request, mayHaveReached: false) { try client.send(.init("GET /x", url)) }
  }

  @Test("keeps no more connections than it may")
  func keptMax() throws {
    let script: @Sendable (RawServer.Connection) -> Void = { connection in
      connection.request()
      connection.send(Self.ok)
      connection.waitForEnd()
    }
    let first = RawServer(scripts: [script])
    let second = RawServer(scripts: [script])
    var settings = HTTPClientSettings()
    settings.keptConnectionsMax = 1
    let client = HTTPClient(settings: settings)
    #expect(try client.send(.init(.get, try HTTPURL("http://127.0.0.1:\(first.port)/"))).status == 200)
    #expect(try client.send(.init(.get, try HTTPURL("http://127.0.0.1:\(second.port)/"))).status == 200)
    // The first was closed for the second, so its script is through.
    first.join()
    client.closeKept()
  }
}

/// Expects a failure of one phase that leaves the right certainty.
func expect(
  _ phase: HTTPClientError.Phase, mayHaveReached: Bool, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> HTTPResponse
) {
  do {
    let reply = try body()
    Issue.record("there was a reply: \(reply.status)", sourceLocation: sourceLocation)
  } catch let error as HTTPClientError {
    #expect(error.failure.phase == phase, "\(error)", sourceLocation: sourceLocation)
    if case .unknown = error {
      #expect(mayHaveReached, "\(error)", sourceLocation: sourceLocation)
    } else {
      #expect(!mayHaveReached, "\(error)", sourceLocation: sourceLocation)
    }
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}

import Glibc
import HTTPServer
import HTTPTypes
import Service
import Testing

@Suite("The life of a server", .timeLimit(.minutes(5)))
struct ServerLifeTests {
  @Test("ends after requests in flight are answered, and says that it closes")
  func graceful() throws {
    let waiting = Monitor<HTTPReply?>(nil)
    let fixture = try ServerFixture { _, reply in waiting.change { $0 = reply } }
    let idle = try RawClient(port: fixture.port)
    let client = try RawClient(port: fixture.port)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let reply = waiting.wait { $0.take() }
    let stopping = OwnedThread(name: "stop") { fixture.server.stop() }
    #expect(try idle.rest() == "")
    #expect(throws: RawClient.Failed.self) { try RawClient(port: fixture.port) }
    reply?.reply(.text("last"))
    let response = try client.reply()
    #expect(response.text == "last")
    #expect(response.fields["Connection"] == "close")
    #expect(try client.rest() == "")
    client.endSending()
    stopping.join()
  }

  @Test("lets a request that has begun to arrive finish")
  func halfReceived() throws {
    let fixture = try ServerFixture()
    let idle = try RawClient(port: fixture.port)
    let client = try RawClient(port: fixture.port)
    try client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(client.hasBytes(within: 3000))
    let stopping = OwnedThread(name: "stop") { fixture.server.stop() }
    #expect(try idle.rest() == "")
    try client.send("hi")
    #expect(try client.reply().fields["Connection"] == "close")
    stopping.join()
  }

  @Test("ends at its deadline though a request is never answered; a later answer goes nowhere")
  func bounded() throws {
    let waiting = Monitor<HTTPReply?>(nil)
    let fixture = try ServerFixture {
      $0.stopMilliseconds = 50
    } handler: { _, reply in
      waiting.change { $0 = reply }
    }
    let client = try RawClient(port: fixture.port)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let reply = waiting.wait { $0.take() }
    let start = MonotonicClock.milliseconds()
    fixture.server.stop()
    #expect((50..<2000).contains(MonotonicClock.milliseconds() - start))
    #expect(try client.rest() == "")
    #expect(reply?.reply(.empty(204)) == true)
    fixture.server.stop()
  }

  @Test("does not begin on a port that is taken, and the error names it")
  func taken() throws {
    let fixture = try ServerFixture()
    var settings = HTTPServerSettings()
    settings.port = fixture.port
    let second = HTTPServer(settings: settings, handler: ServerFixture.echo)
    do {
      try second.start()
      Issue.record("a second server came up at the same port")
    } catch {
      guard case .bind(let address, let port, let reason) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(address == "127.0.0.1" && port == fixture.port)
      #expect(reason.hasPrefix("Address already in use (errno 98)"))
    }
  }

  @Test("begins again on the port it had, right after it ended")
  func again() throws {
    var fixture: ServerFixture? = try ServerFixture()
    let port = try #require(fixture?.port)
    let client = try RawClient(port: port)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try client.reply()
    fixture = nil
    let second = try ServerFixture { $0.port = port }
    #expect(second.port == port)
  }

  @Test("does not begin at what is no address", arguments: ["", "localhost", "1.2.3", "::g", "256.0.0.1"])
  func address(text: String) {
    var settings = HTTPServerSettings()
    settings.address = text
    let server = HTTPServer(settings: settings, handler: ServerFixture.echo)
    #expect(throws: HTTPServerError.address(text)) { try server.start() }
  }

  @Test("does not begin without its certificate")
  func certificate() {
    var settings = HTTPServerSettings()
    settings.tls = .init(certificatePath: "/nonexistent/leaf.pem", keyPath: "/nonexistent/key.pem")
    let server = HTTPServer(settings: settings, handler: ServerFixture.echo)
    #expect {
      try server.start()
    } throws: { error in
      "\(error)".hasPrefix("/nonexistent/leaf.pem cannot be used for TLS: ")
    }
  }

  @Test("takes IPv6, where the machine has it")
  func six() throws {
    var settings = HTTPServerSettings()
    settings.address = "::1"
    settings.threads = 1
    let server = HTTPServer(settings: settings, handler: ServerFixture.echo)
    do { #expect(try server.start() > 0) } catch {
      guard case .bind(_, _, let reason) = error, reason.hasPrefix("Cannot assign") else { throw error }
    }
    server.stop()
  }

  @Test("can be told to cut a connection instead of replying, and counts it as the answer")
  func cut() throws {
    let fixture = try ServerFixture { request, reply in
      if request.target.path == "/cut" {
        #expect(reply.cut())
        #expect(!reply.reply(.text("late")))
        #expect(!reply.cut())
      } else {
        reply(.empty(204))
      }
    }
    let client = try RawClient(port: fixture.port)
    try client.send("GET /cut HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.rest() == "")
    let next = try RawClient(port: fixture.port)
    try next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try next.reply().status == 204)
  }

  @Test("shows another instant in the Date field of one reply, on order")
  func date() throws {
    let fixture = try ServerFixture { request, reply in
      if request.target.path == "/odd" { reply.reply(.empty(204), date: 0) } else { reply(.empty(204)) }
    }
    let client = try RawClient(port: fixture.port)
    try client.send("GET /odd HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.reply().fields["Date"] == "Thu, 01 Jan 1970 00:00:00 GMT")
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.reply().fields["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
  }
}

import HTTPServer
import HTTPTypes
import Service
import Synchronization
import Testing

@Suite("A server", .timeLimit(.minutes(5)))
struct HTTPServerTests {
  private static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test("answers with a date and without naming itself")
  func answers() throws {
    let fixture = try ServerFixture()
    let client = try RawClient(port: fixture.port)
    try client.send(Self.get)
    let reply = try client.reply()
    #expect(reply.text == "GET /x 0 127.0.0.1")
    #expect(reply.fields["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(reply.fields.map(\.name) == ["Date", "Content-Type", "Content-Length"])
  }

  @Test("keeps a connection for many requests, also with bodies of many pieces")
  func keepAlive() throws {
    let fixture = try ServerFixture()
    let client = try RawClient(port: fixture.port)
    for size in [0, 1, 19_000, 65_536, 1_048_576, 3] {
      try client.send("POST /\(size) HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
      try client.send([UInt8](repeating: 7, count: size))
      #expect(try client.reply().text == "POST /\(size) \(size) 127.0.0.1")
    }
  }

  @Test("answers requests sent ahead one after the other, in order")
  func pipelining() throws {
    let threads = Mutex<[OwnedThread]>([])
    let fixture = try ServerFixture { request, reply in
      let text = "\(request.target)"
      // Every second reply comes from another thread.
      guard request.target.path.hasSuffix("1") else {
        reply(.text(text))
        return
      }
      threads.withLock { $0.append(OwnedThread(name: "late") { reply(.text(text)) }) }
    }
    let client = try RawClient(port: fixture.port)
    let targets = (0..<40).map { "/\($0)" }
    try client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for target in targets { #expect(try client.reply().text == target) }
    threads.withLock { for thread in $0 { thread.join() } }
  }

  @Test("has one request of a connection in flight and bounds what is sent ahead")
  func inFlight() throws {
    let waiting = Monitor<[HTTPReply]>([])
    let fixture = try ServerFixture { _, reply in waiting.change { $0.append(reply) } }
    let client = try RawClient(port: fixture.port)
    try client.send(Self.get + Self.get)
    let first = waiting.wait { $0.isEmpty ? nil : $0.removeFirst() }
    #expect(waiting.withLock { $0.isEmpty })
    first?.reply(.text("1"))
    #expect(try client.reply().text == "1")
    let second = waiting.wait { $0.isEmpty ? nil : $0.removeFirst() }
    #expect(second?.reply(.text("2")) == true)
    #expect(second?.reply(.text("3")) == false)
    #expect(try client.reply().text == "2")
  }

  @Test("answers HEAD without body, and OPTIONS and unknown paths from a router")
  func head() throws {
    var router = HTTPRouter<HTTPRouteHandler>()
    router.add(.get, "/x/{id}") { _, parameters, reply in reply(.text("id \(parameters["id"] ?? "")")) }
    let fixture = try ServerFixture(handler: router.handler)
    let client = try RawClient(port: fixture.port)
    try client.send("HEAD /x/7 HTTP/1.1\r\nHost: a\r\n\r\nGET /x/7 HTTP/1.1\r\nHost: a\r\n\r\n")
    let head = try client.reply(to: .head)
    #expect(head.body.isEmpty && head.fields["Content-Length"] == "4")
    #expect(try client.reply().text == "id 7")
    try client.send("OPTIONS /x/7 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.reply().fields["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try client.reply().status == 404)
  }

  @Test("answers 500 when a handler drops its reply, here or on another thread", arguments: [false, true])
  func dropped(elsewhere: Bool) throws {
    let fixture = try ServerFixture { _, reply in
      if elsewhere { _ = OwnedThread(name: "drops") { _ = reply } }
    }
    let client = try RawClient(port: fixture.port)
    try client.send(Self.get)
    #expect(try client.reply().status == 500)
    try client.send(Self.get)
    #expect(try client.reply().status == 500)
  }

  @Test("says 100 Continue before a body that waits for it")
  func expectation() throws {
    let fixture = try ServerFixture()
    let client = try RawClient(port: fixture.port)
    try client.send(
      "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
    try client.send("hi")
    let all = try client.rest()
    #expect(all.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
    #expect(all.hasSuffix("Connection: close\r\n\r\nPUT / 2 127.0.0.1"))
  }

  @Test(
    "closes after HTTP/1.0, or keeps and says so",
    arguments: [
      ("", "Connection: close\r\n"), ("Connection: keep-alive\r\n", "Connection: keep-alive\r\n"),
    ])
  func oldVersion(field: String, expected: String) throws {
    let fixture = try ServerFixture {
      $0.idleMilliseconds = 20
    } handler: {
      ServerFixture.echo($0, $1)
    }
    let client = try RawClient(port: fixture.port)
    try client.send("GET / HTTP/1.0\r\n\(field)\r\n")
    #expect(try client.rest().contains(expected))
  }

  @Test("answers a client that has ended its side")
  func halfClosed() throws {
    let fixture = try ServerFixture()
    let client = try RawClient(port: fixture.port)
    try client.send(Self.get)
    client.endSending()
    #expect(try client.reply().status == 200)
    #expect(try client.rest() == "")
  }

  @Test("serves many connections on several threads, with replies from another")
  func many() throws {
    let queue = Monitor<[HTTPReply]>([])
    let worker = OwnedThread(name: "worker") {
      for _ in 0..<400 { queue.wait { $0.popLast() }?.reply(.text("done")) }
    }
    let fixture = try ServerFixture {
      $0.threads = 3
    } handler: { _, reply in
      queue.change { $0.append(reply) }
    }
    let clients = try (0..<20).map { _ in try RawClient(port: fixture.port) }
    for _ in 0..<20 {
      for client in clients { try client.send(Self.get) }
      for client in clients { #expect(try client.reply().text == "done") }
    }
    worker.join()
  }

  @Test("lives on when a client leaves before its reply, politely or with a reset", arguments: [false, true])
  func left(resets: Bool) throws {
    let waiting = Monitor<[HTTPReply]>([])
    let fixture = try ServerFixture { request, reply in
      if request.target.path == "/x" { waiting.change { $0.append(reply) } } else { reply(.empty(204)) }
    }
    for _ in 0..<20 {
      let client = try RawClient(port: fixture.port)
      if resets { client.resetsOnClose() }
      try client.send(Self.get)
      let reply = waiting.wait { $0.popLast() }
      withExtendedLifetime(client) {}
      reply?.reply(.text("too late"))
    }
    let client = try RawClient(port: fixture.port)
    try client.send("GET /y HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.reply().status == 204)
  }
}

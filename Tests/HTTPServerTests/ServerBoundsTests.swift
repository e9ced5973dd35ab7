import Glibc
import HTTPServer
import HTTPTypes
import Service
import Testing

@Suite("The bounds of a server", .timeLimit(.minutes(5)))
struct ServerBoundsTests {
  @Test(
    "refuse and close, and the refusal arrives though the client went on sending",
    arguments: [
      ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 300_000), 431),
      ("GET /" + String(repeating: "x", count: 300_000), 414),
      ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n" + String(repeating: "x", count: 1_048_577), 413),
      ("GET / HTTP/1.1\n", 400),
      ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
      ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ])
  func refused(bytes: String, status: Int) throws {
    let fixture = try ServerFixture()
    let client = try RawClient(port: fixture.port)
    try client.send(bytes)
    let reply = try client.reply()
    #expect(reply.status == status)
    #expect(reply.fields["Connection"] == "close")
    #expect(try client.rest() == "")
  }

  @Test(
    "give a slow head and a slow body 408",
    arguments: [
      "G", "GET / HTTP/1.1\r\nHost: a\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh",
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ])
  func slow(bytes: String) throws {
    let fixture = try ServerFixture {
      $0.headMilliseconds = 40
      $0.bodyMilliseconds = 40
    }
    let client = try RawClient(port: fixture.port)
    try client.send(bytes)
    let reply = try client.reply()
    #expect(reply.status == 408)
    #expect(reply.fields["Connection"] == "close")
    #expect(try client.rest() == "")
  }

  @Test("are not moved by a client that drips")
  func drip() throws {
    let fixture = try ServerFixture { $0.headMilliseconds = 60 }
    let start = MonotonicClock.milliseconds()
    let client = try RawClient(port: fixture.port)
    try client.send("GET / HTTP/1.1\r\nX: ")
    for _ in 0..<60 {
      usleep(2000)
      guard (try? client.send("x")) != nil else { break }
    }
    #expect(try client.reply().status == 408)
    #expect(MonotonicClock.milliseconds() - start >= 60)
  }

  @Test("close a connection that says nothing, new or kept, without a word")
  func idle() throws {
    let fixture = try ServerFixture {
      $0.headMilliseconds = 30
      $0.idleMilliseconds = 30
    }
    let silent = try RawClient(port: fixture.port)
    #expect(try silent.rest() == "")
    let kept = try RawClient(port: fixture.port)
    try kept.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try kept.reply().status == 200)
    #expect(try kept.rest() == "")
  }

  @Test("let a request in flight take its time")
  func inFlight() throws {
    let waiting = Monitor<HTTPReply?>(nil)
    let fixture = try ServerFixture {
      $0.headMilliseconds = 10
      $0.bodyMilliseconds = 10
      $0.idleMilliseconds = 10
      $0.writeMilliseconds = 10
    } handler: { _, reply in
      waiting.change { $0 = reply }
    }
    let client = try RawClient(port: fixture.port)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = waiting.wait(until: MonotonicClock.milliseconds() + 60) { _ in Int?.none }
    waiting.change { $0.take() }?.reply(.empty(204))
    #expect(try client.reply().status == 204)
  }

  @Test("drop a client that does not take its reply")
  func slowReader() throws {
    let big = [UInt8](repeating: 65, count: 32 * 1024 * 1024)
    let fixture = try ServerFixture {
      $0.writeMilliseconds = 50
    } handler: { _, reply in
      reply(.content(big, type: "text/plain"))
    }
    let client = try RawClient(port: fixture.port, receiveBufferBytes: 4096)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.hasBytes(within: 3000))
    _ = Monitor(0).wait(until: MonotonicClock.milliseconds() + 120) { _ in Int?.none }
    let received = (try? client.rest())?.utf8.count ?? 0
    #expect(received < big.count)
  }

  @Test("send a large reply whole to a client that reads")
  func largeReply() throws {
    let big = [UInt8](repeating: 65, count: 8_000_000)
    let fixture = try ServerFixture { _, reply in
      reply(.content(big, type: "application/octet-stream"))
    }
    let client = try RawClient(port: fixture.port)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let all = try client.rest()
    #expect(all.contains("Content-Length: 8000000\r\n"))
    #expect(all.utf8.count > 8_000_000)
  }

  @Test("let no more connections in than the cap, and the next one when one leaves")
  func cap() throws {
    let fixture = try ServerFixture { $0.connectionsMax = 2 }
    let first = try RawClient(port: fixture.port)
    var second: RawClient? = try RawClient(port: fixture.port)
    for client in [first, second!] {
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.reply().status == 200)
    }
    let third = try RawClient(port: fixture.port)
    try third.send("GET /third HTTP/1.1\r\nHost: a\r\n\r\n")
    // The first is served on while the third waits.
    try first.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try first.reply().text.hasPrefix("GET /first"))
    #expect(!third.hasBytes(within: 30))
    second = nil
    #expect(try third.reply().text.hasPrefix("GET /third"))
  }

  @Test("serves others in between, however much one client sends ahead") func pipelining() throws {
    let order = Monitor<[String]>([])
    let fixture = try ServerFixture { request, reply in
      order.change { $0.append(request.target.path) }
      reply(.text("ok"))
    }
    let greedy = try RawClient(port: fixture.port)
    let other = try RawClient(port: fixture.port)
    // The first request of the other one is there before the last of these can be.
    try greedy.send(String(repeating: "GET /greedy HTTP/1.1\r\nHost: a\r\n\r\n", count: 1_000))
    try other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try other.reply().text == "ok")
    for _ in 0..<1_000 { #expect(try greedy.reply().text == "ok") }
    let served = order.withLock { $0 }
    #expect(served.count == 1_001)
    #expect(served.firstIndex(of: "/other")! < 1_000, "not behind everything that was sent ahead")
  }
}

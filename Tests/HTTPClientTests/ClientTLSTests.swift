import HTTPClient
import HTTPServer
import HTTPTypes
import Service
import Testing

@Suite("TLS between client and server", .timeLimit(.minutes(5)))
struct ClientTLSTests {
  private let certificates: TestCertificates

  init() throws { certificates = try TestCertificates.shared.get() }

  @Test("carries requests and replies of every size over one connection", arguments: ["127.0.0.1", "localhost"])
  func good(host: String) throws {
    let (server, port) = try serve(certificates.good, certificates.goodKey) {
      // A second connection would never be served.
      $0.connectionsMax = 1
    }
    defer { server.stop() }
    let client = client(certificates.authority)
    for size in [0, 1, 16_384, 16_385, 1_000_000, 3] {
      let body = [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size)
      let reply = try client.send(.init(.post, try HTTPURL("https://\(host):\(port)/x"), body: body))
      #expect(reply.status == 200)
      #expect(reply.body == body)
    }
    client.closeKept()
  }

  @Test("carries replies given by another thread, and requests sent one after the other")
  func late() throws {
    let queue = Monitor<[HTTPReply]>([])
    let worker = OwnedThread(name: "worker") {
      for _ in 0..<50 { queue.wait { $0.popLast() }?.reply(.text("late")) }
    }
    let (server, port) = try serve(certificates.good, certificates.goodKey) { _ in
    } handler: { _, reply in
      queue.change { $0.append(reply) }
    }
    defer { server.stop() }
    let client = client(certificates.authority)
    let url = try HTTPURL("https://127.0.0.1:\(port)/")
    for _ in 0..<50 { #expect(try client.send(.init(.get, url)).body == Array("late".utf8)) }
    worker.join()
    client.closeKept()
  }

  @Test("is refused to a wrong name, a foreign authority, an expired certificate and the system's authorities")
  func refused() throws {
    let rows: [(leaf: String, key: String, authority: String?, host: String)] = [
      (certificates.elsewhere, certificates.elsewhereKey, certificates.authority, "localhost"),
      (certificates.elsewhere, certificates.elsewhereKey, certificates.authority, "127.0.0.1"),
      (certificates.good, certificates.goodKey, certificates.foreignAuthority, "localhost"),
      (certificates.expired, certificates.expiredKey, certificates.authority, "localhost"),
      (certificates.good, certificates.goodKey, nil, "localhost"),
    ]
    for row in rows {
      let (server, port) = try serve(row.leaf, row.key)
      defer { server.stop() }
      let url = try HTTPURL("https://\(row.host):\(port)/")
      expect(.verification, mayHaveReached: false) { try client(row.authority).send(.init(.put, url, body: [1])) }
    }
  }

  @Test("needs authorities that can be read")
  func trust() throws {
    let url = try HTTPURL("https://127.0.0.1:1/")
    expect(.trust, mayHaveReached: false) { try client("/nonexistent/authority.pem").send(.init(.get, url)) }
  }

  @Test("opens a new connection when the server has closed the kept one, and does not take tickets for an end")
  func reopened() throws {
    let (server, port) = try serve(certificates.good, certificates.goodKey) { $0.idleMilliseconds = 40 }
    defer { server.stop() }
    let client = client(certificates.authority)
    let url = try HTTPURL("https://127.0.0.1:\(port)/")
    #expect(try client.send(.init(.get, url)).status == 200)
    #expect(try client.send(.init(.get, url)).status == 200)
    _ = Monitor(0).wait(until: MonotonicClock.milliseconds() + 120) { _ in Int?.none }
    #expect(try client.send(.init(.get, url)).status == 200)
  }

  @Test("is not spoken by a client of plain HTTP")
  func plain() throws {
    let (server, port) = try serve(certificates.good, certificates.goodKey)
    defer { server.stop() }
    do {
      let reply = try HTTPClient().send(.init(.get, try HTTPURL("http://127.0.0.1:\(port)/")))
      Issue.record("there was a reply: \(reply.status)")
    } catch {
      guard case .unknown = error as? HTTPClientError else {
        Issue.record(error)
        return
      }
    }
  }

  @Test("has a deadline for a client that does not shake hands")
  func silent() throws {
    let (server, port) = try serve(certificates.good, certificates.goodKey) { $0.handshakeMilliseconds = 40 }
    defer { server.stop() }
    #expect(ClientDeadlineTests.Filler(port: Int(port)).isClosed(within: 3000))
  }

  @Test("does not begin with a key that belongs to another certificate")
  func mismatch() {
    var settings = HTTPServerSettings()
    settings.tls = .init(certificatePath: certificates.good, keyPath: certificates.elsewhereKey)
    let server = HTTPServer(settings: settings) { _, reply in reply(.empty(204)) }
    #expect {
      try server.start()
    } throws: { error in
      guard case .tls(let path, let reason) = error as? HTTPServerError else { return false }
      return path == certificates.elsewhereKey && reason == "key values mismatch"
    }
  }

  private func client(_ authority: String?) -> HTTPClient {
    var settings = HTTPClientSettings()
    settings.authoritiesPath = authority
    return HTTPClient(settings: settings)
  }

  private func serve(
    _ certificate: String, _ key: String, change: (inout HTTPServerSettings) -> Void = { _ in },
    handler: @escaping HTTPHandler = { request, reply in reply(.json(request.body)) }
  ) throws -> (HTTPServer, UInt16) {
    var settings = HTTPServerSettings()
    settings.threads = 1
    settings.lingerMilliseconds = 100
    settings.tls = .init(certificatePath: certificate, keyPath: key)
    change(&settings)
    let server = HTTPServer(settings: settings, handler: handler)
    return (server, try server.start())
  }
}

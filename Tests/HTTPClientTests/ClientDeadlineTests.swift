import Glibc
import HTTPClient
import HTTPTypes
import Service
import Testing

@Suite("The deadlines of a client", .timeLimit(.minutes(5)))
struct ClientDeadlineTests {
  @Test("end a connection that does not come about")
  func connect() throws {
    // A backlog that is full: the kernel leaves further connections without an answer.
    let server = RawServer(backlog: 0)
    let fillers = (0..<4).map { _ in Filler(port: server.port) }
    var settings = HTTPClientSettings()
    settings.connectMilliseconds = 40
    let client = HTTPClient(settings: settings)
    let url = try HTTPURL("http://127.0.0.1:\(server.port)/")
    expect(.connect, mayHaveReached: false) { try client.send(.init(.get, url)) }
    withExtendedLifetime(fillers) {}
  }

  @Test("are not needed where nobody listens")
  func refused() throws {
    var server: RawServer? = RawServer()
    let url = try HTTPURL("http://127.0.0.1:\(server!.port)/")
    server = nil
    expect(.connect, mayHaveReached: false) { try HTTPClient().send(.init(.get, url)) }
  }

  @Test("end a lookup of a name that cannot exist, by the system's word")
  func resolve() throws {
    let url = try HTTPURL("http://\(String(repeating: "a", count: 63)).invalid/")
    expect(.resolve, mayHaveReached: false) { try HTTPClient().send(.init(.get, url)) }
  }

  @Test("end a handshake that nobody answers")
  func handshake() throws {
    let server = RawServer()
    var settings = HTTPClientSettings()
    settings.handshakeMilliseconds = 40
    let url = try HTTPURL("https://127.0.0.1:\(server.port)/")
    expect(.handshake, mayHaveReached: false) { try HTTPClient(settings: settings).send(.init(.get, url)) }
  }

  @Test("end a handshake with somebody who does not speak TLS, at once")
  func noTLS() throws {
    let server = RawServer(scripts: [{ $0.send("HTTP/1.1 400 Bad Request\r\n\r\n") }])
    let url = try HTTPURL("https://127.0.0.1:\(server.port)/")
    expect(.handshake, mayHaveReached: false) { try HTTPClient().send(.init(.get, url)) }
  }

  @Test("end the writing to a peer that takes nothing")
  func write() throws {
    let server = RawServer()
    var settings = HTTPClientSettings()
    settings.writeMilliseconds = 40
    let client = HTTPClient(settings: settings)
    let url = try HTTPURL("http://127.0.0.1:\(server.port)/")
    let body = [UInt8](repeating: 0, count: 32 * 1024 * 1024)
    expect(.write, mayHaveReached: true) { try client.send(.init(.put, url, body: body)) }
  }

  @Test("end the waiting for a reply that does not begin")
  func firstByte() throws {
    let server = RawServer()
    var settings = HTTPClientSettings()
    settings.firstByteMilliseconds = 40
    let client = HTTPClient(settings: settings)
    let url = try HTTPURL("http://127.0.0.1:\(server.port)/")
    expect(.firstByte, mayHaveReached: true) { try client.send(.init(.get, url)) }
  }

  @Test("end the waiting for a reply that does not end, standing still or dripping", arguments: [false, true])
  func reply(drips: Bool) throws {
    let isOver = Monitor(false)
    let server = RawServer(scripts: [
      { connection in
        connection.request()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in 0..<500 {
          if drips { connection.send("x") }
          let until = MonotonicClock.milliseconds() + 5
          if isOver.wait(until: until, { $0 ? true : nil }) != nil { return }
        }
      }
    ])
    var settings = HTTPClientSettings()
    settings.replyMilliseconds = 60
    let client = HTTPClient(settings: settings)
    let url = try HTTPURL("http://127.0.0.1:\(server.port)/")
    let start = MonotonicClock.milliseconds()
    expect(.reply, mayHaveReached: true) { try client.send(.init(.get, url)) }
    #expect((60..<2000).contains(MonotonicClock.milliseconds() - start))
    isOver.change { $0 = true }
  }

  /// A connection attempt that takes a place in a backlog.
  final class Filler {
    private let socket: Int32

    init(port: Int) {
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      withUnsafeBytes(of: &address) { bytes in
        _ = Glibc.connect(socket, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
    }

    /// True when the server has closed the connection within the time.
    func isClosed(within milliseconds: Int32) -> Bool {
      var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      var byte: UInt8 = 0
      return poll(&entry, 1, milliseconds) == 1 && recv(socket, &byte, 1, 0) <= 0
    }

    deinit { close(socket) }
  }
}

import Glibc
import HTTPTypes
import Service
import Synchronization

/// A server that does to each connection exactly what its script says, one after the other.
final class RawServer: Sendable {
  /// One accepted connection; closed when the script lets go of it. Nothing waits longer than five seconds.
  final class Connection {
    private let socket: Int32
    init(socket: Int32) { self.socket = socket }
    deinit { close(socket) }

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads one request; nil when the client ended the connection instead.
    @discardableResult
    func request() -> HTTPRequest? {
      var parser = RequestParser()
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        if case .request(let request, _) = buffer[..<count].withUnsafeBytes({ parser.receive($0) }) { return request }
      }
    }

    /// Waits for the client to end the connection.
    func waitForEnd() { while request() != nil {} }

    /// Makes the closing a reset.
    func reset() {
      var option = Glibc.linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
  }

  let port: Int
  private let socket: Int32
  private let thread: Mutex<OwnedThread?>
  private let accepted = Monitor(0)

  /// - Parameter scripts: one for each connection that is accepted; none leaves connections in the backlog.
  init(backlog: Int32 = 16, scripts: [@Sendable (Connection) -> Void] = []) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      precondition(bind(socket, pointer, length) == 0 && listen(socket, backlog) == 0, "a test server needs a port")
      getsockname(socket, pointer, &length)
    }
    self.socket = socket
    port = Int(UInt16(bigEndian: address.sin_port))
    thread = Mutex(nil)
    guard !scripts.isEmpty else { return }
    let accepted = accepted
    let running = OwnedThread(name: "raw-server") {
      for script in scripts {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { return }
        var wait = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        accepted.change { $0 += 1 }
        script(Connection(socket: connection))
      }
    }
    thread.withLock { $0 = running }
  }

  /// How many connections were accepted.
  var connections: Int { accepted.withLock { $0 } }

  /// Waits for the script to be through.
  func join() { thread.withLock { $0 }?.join() }

  deinit {
    shutdown(socket, Int32(SHUT_RDWR))
    join()
    close(socket)
  }
}

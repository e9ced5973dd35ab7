import Glibc
import HTTPTypes

/// A blocking TCP client that sends exactly what it is told. Nothing waits longer than five seconds.
final class RawClient {
  struct Failed: Error { var what: String }

  private let socket: Int32
  private var received: [UInt8] = []
  /// How many of the received bytes are part of replies given already.
  private var read = 0

  init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var wait = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    if var bytes = receiveBufferBytes { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, 4) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafeBytes(of: &address) { bytes in
      connect(socket, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard code == 0 else { throw Failed(what: "connect: errno \(errno)") }
  }

  deinit { close(socket) }

  /// Makes the closing a reset.
  func resetsOnClose() {
    var option = Glibc.linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<Glibc.linger>.size))
  }

  /// Ends the sending side.
  func endSending() { shutdown(socket, Int32(SHUT_WR)) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Failed(what: "send: errno \(errno)") }
      start += count
    }
  }

  /// The next reply; what came behind it is kept for the following one.
  func reply(to method: HTTPMethod = .get) throws -> HTTPResponse {
    var parser = ResponseParser(replyTo: method, limits: HTTPLimits(bodyBytesMax: 64 * 1024 * 1024))
    while true {
      while read < received.count {
        // Byte by byte, so that the parser never takes a byte of the next reply.
        let action = received[read...read].withUnsafeBytes { parser.receive($0) }
        read += 1
        switch action {
        case .needMore: continue
        case .response(let response, _): return response
        case .fail(let failure): throw Failed(what: failure.description)
        }
      }
      guard try receive() else { throw Failed(what: "the server closed the connection") }
    }
  }

  /// Everything until the server closes.
  func rest() throws -> String {
    while try receive() {}
    defer { (received, read) = ([], 0) }
    return String(decoding: received[read...], as: UTF8.self)
  }

  /// True when something (or the end) can be read now or soon.
  func hasBytes(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  private func receive() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failed(what: "recv: errno \(errno)") }
    received += buffer[..<count]
    return count > 0
  }
}

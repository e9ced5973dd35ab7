import Glibc

/// A TCP client that sends exactly what it is told and takes what comes until the server closes.
final class RawSocket {
  private let socket: Int32

  init(port: UInt16) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var wait = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = withUnsafeBytes(of: &address) {
      connect(socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
  }

  deinit { close(socket) }

  /// Sends as much as the server takes.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Everything until the server closes, or falls silent for five seconds.
  func rest() -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count <= 0 { return String(decoding: all, as: UTF8.self) }
      all += buffer[..<count]
    }
  }

  /// Sends requests one behind the other without waiting, and takes the statuses of as many replies.
  func exchange(_ requests: [UInt8], count: Int) -> [Int] {
    send(requests)
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let received = recv(socket, &buffer, buffer.count, 0)
      if received > 0 { all += buffer[..<received] }
      let statuses = Self.statuses(String(decoding: all, as: UTF8.self))
      if statuses.count >= count || received <= 0 { return statuses }
    }
  }

  /// The statuses of all replies in it, in order.
  static func statuses(_ text: String) -> [Int] {
    text.ranges(of: "HTTP/1.1 ").compactMap { Int(text[$0.upperBound...].prefix(3)) }
  }
}

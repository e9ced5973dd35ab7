import Glibc

/// A listening socket; closed with its owner.
final class Listener: Sendable {
  let socket: Int32
  let port: UInt16

  /// Several listeners at one address and port, between which the kernel spreads connections.
  static func listeners(
    address: String, port: UInt16, backlog: Int, count: Int
  ) throws(HTTPServerError) -> [Listener] {
    // SO_REUSEPORT would let a second server of the same user in, and the two would share the connections.
    // A listener without it finds out.
    if port != 0 { _ = try Listener(address: address, port: port, backlog: nil, isShared: false) }
    let first = try Listener(address: address, port: port, backlog: backlog, isShared: true)
    var listeners = [first]
    for _ in 1..<max(count, 1) {
      listeners.append(try Listener(address: address, port: first.port, backlog: backlog, isShared: true))
    }
    return listeners
  }

  /// - Parameter backlog: nil binds without listening.
  private init(address: String, port: UInt16, backlog: Int?, isShared: Bool) throws(HTTPServerError) {
    // getaddrinfo alone would also take the old forms with fewer than four numbers.
    var binary = in6_addr()
    guard inet_pton(AF_INET, address, &binary) == 1 || inet_pton(AF_INET6, address, &binary) == 1 else {
      throw .address(address)
    }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let found else { throw .address(address) }
    defer { freeaddrinfo(found) }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(found.pointee.ai_family, type, 0)
    guard socket >= 0 else { throw .system(call: "socket", reason: SystemError.text(errno)) }
    var on: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    if isShared { setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &on, 4) }
    guard bind(socket, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
      backlog.map({ listen(socket, Int32($0)) }) ?? 0 == 0, let bound = Self.port(of: socket)
    else {
      let code = errno
      close(socket)
      throw .bind(address: address, port: port, reason: SystemError.text(code))
    }
    self.socket = socket
    self.port = bound
  }

  deinit { close(socket) }

  private static func port(of socket: Int32) -> UInt16? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
      guard getsockname(socket, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length) == 0 else {
        return nil
      }
      // Port lies at the same place, in network order, in the addresses of both families.
      return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }
}

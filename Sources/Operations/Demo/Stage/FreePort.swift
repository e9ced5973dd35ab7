import Glibc
import Service

/// Finds ports that nobody listens at.
enum FreePort {
  /// - Returns: different ports of 127.0.0.1 that were free a moment ago.
  static func several(_ count: Int) throws(CommandError) -> [UInt16] {
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    var ports: [UInt16] = []
    for _ in 0..<count {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      sockets.append(socket)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let ok = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
        }
      }
      guard ok else { throw CommandError(.unavailable, "no free port: \(String(cString: strerror(errno)))") }
      ports.append(UInt16(bigEndian: address.sin_port))
    }
    return ports
  }
}

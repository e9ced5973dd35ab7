import Glibc
import HTTPTypes
import Service

/// A connected, non-blocking TCP socket; closed with its owner.
final class ClientSocket {
  private static let addressesMax = 8

  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }

  /// Looks up the host and takes the first of its addresses that answers; each gets an even share of the time left.
  static func connect(_ origin: HTTPURL.Origin, milliseconds: Int64) throws(ConnectionFailure) -> ClientSocket {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(origin.host, String(origin.port), &hints, &found)
    guard code == 0, let found else {
      throw ConnectionFailure(phase: .resolve, reason: String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(found) }
    var addresses: [UnsafeMutablePointer<addrinfo>] = []
    var next: UnsafeMutablePointer<addrinfo>? = found
    while let address = next, addresses.count < addressesMax {
      addresses.append(address)
      next = address.pointee.ai_next
    }
    let deadline = MonotonicClock.milliseconds() + milliseconds
    var failure = ConnectionFailure(phase: .connect, reason: "the name has no address")
    for (index, address) in addresses.enumerated() {
      let now = MonotonicClock.milliseconds()
      let share = max(0, deadline - now) / Int64(addresses.count - index)
      do throws(ConnectionFailure) { return try connect(address.pointee, until: now + share) } catch { failure = error }
    }
    throw failure
  }

  private static func connect(_ address: addrinfo, until deadline: Int64) throws(ConnectionFailure) -> ClientSocket {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.ai_family, type, 0)
    guard descriptor >= 0 else { throw failed(errno) }
    let result = ClientSocket(descriptor: descriptor)
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
    if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return result }
    guard errno == EINPROGRESS else { throw failed(errno) }
    guard result.wait(for: POLLOUT, until: deadline) else {
      throw ConnectionFailure(phase: .connect, reason: "no connection within the time for it")
    }
    var code: Int32 = 0
    var length = socklen_t(4)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    guard code == 0 else { throw failed(code) }
    return result
  }

  private static func failed(_ code: Int32) -> ConnectionFailure {
    ConnectionFailure(phase: .connect, reason: IOOutcome.systemText(code))
  }

  /// Waits for the socket; false when the deadline came first.
  func wait(for event: Int32, until deadline: Int64) -> Bool {
    while true {
      let left = max(0, deadline - MonotonicClock.milliseconds())
      var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      let count = poll(&entry, 1, Int32(clamping: left))
      if count > 0 { return true }
      if count == 0, left <= Int64(Int32.max) { return false }
      if count < 0, errno != EINTR { return false }
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, flags: Int32 = 0) -> IOOutcome {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, flags)
    if count > 0 { return .moved(count) }
    if count == 0 { return .ended }
    return errno == EAGAIN || errno == EINTR ? .wantsRead : .failed(IOOutcome.systemText(errno))
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> IOOutcome {
    let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN || errno == EINTR ? .wantsWrite : .failed(IOOutcome.systemText(errno))
  }
}

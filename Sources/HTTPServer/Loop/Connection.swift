import CLinux
import Glibc
import HTTPTypes

/// What a loop knows of one connection; touched by the loop's thread only.
final class Connection {
  enum State {
    case handshaking
    case reading
    /// With the handler; nothing is read meanwhile.
    case inFlight(HTTPMethod, HTTPPersistence)
    case writing(thenClose: Bool)
    /// All is said; what the client still sends is thrown away until it ends too.
    case lingering(discarded: Int)
  }

  let token: ConnectionToken
  let transport: Transport
  let remoteAddress: String
  var parser: RequestParser
  var state: State
  /// What waits for the socket, and how much of it is gone already.
  var output: [UInt8] = []
  var written = 0
  /// What epoll was told to report.
  var interest: UInt32
  /// Instant of the monotonic clock; `.max` while there is none.
  var deadline: Int64 = .max
  /// The earliest entry the heap has for this connection.
  var scheduled: Int64 = .max
  /// The phase the deadline was set for, so that more bytes of the same phase do not move it.
  var timedPhase: RequestParser.Phase = .head

  init(token: ConnectionToken, transport: Transport, remoteAddress: String, limits: HTTPLimits, interest: UInt32) {
    self.token = token
    self.transport = transport
    self.remoteAddress = remoteAddress
    self.interest = interest
    parser = RequestParser(limits: limits)
    state = transport.tls == nil ? .reading : .handshaking
  }

  deinit { close(transport.socket) }
}

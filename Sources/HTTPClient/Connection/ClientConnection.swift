import Glibc
import HTTPTypes
import Service

/// A connection to an origin, with TLS where the scheme says so. Every step has a deadline.
final class ClientConnection {
  private let socket: ClientSocket
  private let tls: ClientTLS?
  private var plainBytesWritten: UInt64 = 0

  /// - Parameter trust: nil for plain HTTP.
  init(origin: HTTPURL.Origin, settings: HTTPClientSettings, trust: ClientTrust?) throws(ConnectionFailure) {
    socket = try ClientSocket.connect(origin, milliseconds: settings.connectMilliseconds)
    tls = if let trust { try trust.session(socket: socket.descriptor, host: origin.host) } else { nil }
    if let tls { try shakeHands(tls, until: MonotonicClock.milliseconds() + settings.handshakeMilliseconds) }
  }

  /// Bytes given to the network so far; with TLS those of its records and of the handshake.
  var bytesWritten: UInt64 { tls?.bytesWritten ?? plainBytesWritten }

  /// True when the peer has ended the connection meanwhile, or has said something nobody asked for.
  var isStale: Bool {
    let outcome: IOOutcome
    if let tls {
      outcome = tls.peek()
    } else {
      var byte: UInt8 = 0
      outcome = withUnsafeMutableBytes(of: &byte) { socket.read(into: $0, flags: Int32(MSG_PEEK)) }
    }
    return outcome != .wantsRead
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> IOOutcome {
    tls?.read(into: buffer) ?? socket.read(into: buffer)
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> IOOutcome {
    if let tls { return tls.write(bytes) }
    let outcome = socket.write(bytes)
    if case .moved(let count) = outcome { plainBytesWritten += UInt64(count) }
    return outcome
  }

  /// Waits for what the last outcome wanted; false when the deadline came first.
  func wait(after outcome: IOOutcome, until deadline: Int64) -> Bool {
    socket.wait(for: outcome == .wantsWrite ? POLLOUT : POLLIN, until: deadline)
  }

  private func shakeHands(_ tls: ClientTLS, until deadline: Int64) throws(ConnectionFailure) {
    while true {
      let outcome = tls.handshake()
      switch outcome {
      case .moved: return
      case .wantsRead, .wantsWrite:
        // The clock is asked as well, for a peer that drips.
        guard wait(after: outcome, until: deadline), MonotonicClock.milliseconds() < deadline else {
          throw ConnectionFailure(phase: .handshake, reason: "no TLS within the time for it")
        }
      case .ended: throw ConnectionFailure(phase: .handshake, reason: "the peer closed the connection")
      case .failed(let reason):
        if let fault = tls.verificationFault { throw ConnectionFailure(phase: .verification, reason: fault) }
        throw ConnectionFailure(phase: .handshake, reason: reason)
      }
    }
  }
}

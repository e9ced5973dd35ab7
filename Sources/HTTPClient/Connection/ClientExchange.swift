import HTTPTypes
import Service

/// One request on one connection: written whole, then its reply read.
struct ClientExchange {
  /// Why there is no reply.
  struct Stopped: Error {
    var phase: HTTPClientError.Phase
    var reason: String
    /// Some byte of the request has been given to the network.
    var mayHaveLeft: Bool

    func clientError(_ origin: HTTPURL.Origin) -> HTTPClientError {
      let failure = HTTPClientError.Failure(origin: origin.description, phase: phase, reason: reason)
      return mayHaveLeft ? .unknown(failure) : .notSent(failure)
    }
  }

  let settings: HTTPClientSettings
  let method: HTTPMethod
  let bytes: [UInt8]

  /// - Parameter buffer: for receiving; its content means nothing before and after.
  /// - Returns: the reply, and whether the connection may be used again.
  func run(
    on connection: ClientConnection, buffer: inout [UInt8]
  ) throws(Stopped) -> (response: HTTPResponse, keepAlive: Bool) {
    let wroteAll = try write(to: connection)
    let writtenAt = MonotonicClock.milliseconds()
    let replyDeadline = writtenAt + settings.replyMilliseconds
    var deadline = min(replyDeadline, writtenAt + settings.firstByteMilliseconds)
    var phase = HTTPClientError.Phase.firstByte
    var parser = ResponseParser(replyTo: method, limits: settings.limits)
    while true {
      let outcome = buffer.withUnsafeMutableBytes { connection.read(into: $0) }
      var action = ResponseParser.Action.needMore
      switch outcome {
      case .moved(let count):
        phase = .reply
        deadline = replyDeadline
        action = buffer.withUnsafeBytes { parser.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      case .wantsRead, .wantsWrite:
        guard connection.wait(after: outcome, until: deadline) else { throw late(phase) }
      case .ended: action = parser.endOfInput()
      case .failed(let reason): throw Stopped(phase: phase, reason: reason, mayHaveLeft: true)
      }
      switch action {
      case .needMore:
        // Also holds for a peer that always has something more to say.
        guard MonotonicClock.milliseconds() < deadline else { throw late(phase) }
      case .response(let response, let keepAlive):
        return (response, keepAlive && wroteAll && !parser.hasTrailingBytes)
      case .fail(let failure):
        throw Stopped(phase: phase, reason: "the reply is not taken: \(failure)", mayHaveLeft: true)
      }
    }
  }

  /// False when the peer stopped taking the request halfway: it may have replied already, as in refusing a body.
  private func write(to connection: ClientConnection) throws(Stopped) -> Bool {
    let before = connection.bytesWritten
    let deadline = MonotonicClock.milliseconds() + settings.writeMilliseconds
    var written = 0
    while written < bytes.count {
      let outcome = bytes.withUnsafeBytes { connection.write(UnsafeRawBufferPointer(rebasing: $0[written...])) }
      let mayHaveLeft = connection.bytesWritten > before
      switch outcome {
      case .moved(let count): written += count
      case .wantsRead, .wantsWrite:
        guard connection.wait(after: outcome, until: deadline) else {
          throw Stopped(phase: .write, reason: "the peer does not take the request in time", mayHaveLeft: mayHaveLeft)
        }
      case .ended, .failed:
        guard mayHaveLeft else {
          throw Stopped(phase: .write, reason: "the connection was closed", mayHaveLeft: false)
        }
        return false
      }
      guard MonotonicClock.milliseconds() < deadline || written == bytes.count else {
        throw Stopped(phase: .write, reason: "the peer does not take the request in time", mayHaveLeft: mayHaveLeft)
      }
    }
    return true
  }

  private func late(_ phase: HTTPClientError.Phase) -> Stopped {
    let reason =
      phase == .firstByte
      ? "no reply began within \(settings.firstByteMilliseconds) ms"
      : "the reply was not complete within \(settings.replyMilliseconds) ms"
    return Stopped(phase: phase, reason: reason, mayHaveLeft: true)
  }
}

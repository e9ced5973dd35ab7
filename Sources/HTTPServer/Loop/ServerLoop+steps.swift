import CLinux
import Glibc
import HTTPTypes

/// What happens to one connection: from a report, a reply or a deadline to its next state.
extension ServerLoop {
  /// What a lingering client may still send before it is cut off.
  private static let lingerBytesMax = 4 * 1024 * 1024

  func step(_ connection: Connection, _ events: UInt32) {
    guard events & (clinux_epollerr | clinux_epollhup) == 0 else { return drop(connection) }
    switch connection.state {
    case .handshaking: handshake(connection)
    case .reading: read(connection)
    // The client sends ahead or has ended its side: neither matters before the reply is out.
    case .inFlight: watch(connection, 0)
    case .writing: flush(connection)
    case .lingering: discard(connection)
    }
  }

  func expired(_ connection: Connection) {
    if case .reading = connection.state, connection.parser.phase != .betweenRequests {
      refuse(connection, status: 408, "the request took too long to arrive")
    } else {
      drop(connection)
    }
  }

  /// The handler has replied.
  func answer(_ connection: Connection, _ response: HTTPResponse, date: String?) {
    guard case .inFlight(let method, var persistence) = connection.state else { return }
    if isStopping { persistence = .close }
    send(connection, response, to: method, persistence, date: date)
  }

  private func refuse(_ connection: Connection, status: Int, _ detail: String) {
    send(connection, .problem(status, detail: detail), to: .get, .close)
  }

  private func send(
    _ connection: Connection, _ response: HTTPResponse, to method: HTTPMethod, _ persistence: HTTPPersistence,
    date given: String? = nil
  ) {
    let bytes = HTTPSerializer.bytes(of: response, to: method, persistence: persistence, date: given ?? date)
    if connection.output.isEmpty { connection.output = bytes } else { connection.output += bytes }
    connection.state = .writing(thenClose: persistence == .close)
    setDeadline(connection, milliseconds: settings.writeMilliseconds)
    flush(connection)
  }

  private func handshake(_ connection: Connection) {
    switch connection.transport.tls?.handshake() {
    case .moved:
      connection.state = .reading
      setDeadline(connection, milliseconds: settings.headMilliseconds)
      watch(connection, clinux_epollin)
      read(connection)
    case .wantsRead: watch(connection, clinux_epollin)
    case .wantsWrite: watch(connection, clinux_epollout)
    case .ended, .failed, nil: drop(connection)
    }
  }

  private func read(_ connection: Connection) {
    while case .reading = connection.state {
      switch connection.transport.read(into: received) {
      case .moved(let count):
        act(connection, connection.parser.receive(UnsafeRawBufferPointer(rebasing: received[..<count])))
        // The kernel reports again what is left; what is left inside OpenSSL nobody reports.
        if connection.transport.tls == nil { return }
      case .wantsRead: return watch(connection, clinux_epollin)
      case .wantsWrite: return watch(connection, clinux_epollout)
      case .ended, .failed: return drop(connection)
      }
    }
  }

  private func act(_ connection: Connection, _ action: RequestParser.Action) {
    switch action {
    case .needMore:
      watch(connection, clinux_epollin)
      setReadDeadline(connection)
    case .sendContinue:
      connection.output += HTTPSerializer.continueBytes
      // What does not fit now goes out in front of the reply.
      guard write(connection) != .failed else { return drop(connection) }
      act(connection, connection.parser.next())
    case .request(var request, let persistence):
      request.remoteAddress = connection.remoteAddress
      connection.state = .inFlight(request.method, persistence)
      setDeadline(connection, milliseconds: nil)
      handler(request, HTTPReply(mailbox: mailbox, token: connection.token))
    case .refuse(let failure):
      refuse(connection, status: failure.status, "the request is not taken: \(failure.reason)")
    }
  }

  private func setReadDeadline(_ connection: Connection) {
    let phase = connection.parser.phase
    guard phase != connection.timedPhase else { return }
    connection.timedPhase = phase
    switch phase {
    case .betweenRequests: setDeadline(connection, milliseconds: settings.idleMilliseconds)
    case .head: setDeadline(connection, milliseconds: settings.headMilliseconds)
    case .body: setDeadline(connection, milliseconds: settings.bodyMilliseconds)
    }
  }

  private func flush(_ connection: Connection) {
    guard case .writing(let thenClose) = connection.state else { return }
    switch write(connection) {
    case .moved: break
    case .wantsRead: return watch(connection, clinux_epollin)
    case .wantsWrite: return watch(connection, clinux_epollout)
    case .ended, .failed: return drop(connection)
    }
    if thenClose { return linger(connection) }
    connection.state = .reading
    connection.timedPhase = .betweenRequests
    if isStopping, connection.parser.phase == .betweenRequests { return linger(connection) }
    setDeadline(connection, milliseconds: settings.idleMilliseconds)
    act(connection, connection.parser.next())
    if connection.transport.tls != nil { read(connection) }
  }

  /// Writes what waits. `.moved` when nothing is left.
  private func write(_ connection: Connection) -> Transport.Outcome {
    while connection.written < connection.output.count {
      let outcome = connection.output.withUnsafeBytes { bytes in
        connection.transport.write(UnsafeRawBufferPointer(rebasing: bytes[connection.written...]))
      }
      guard case .moved(let count) = outcome else { return outcome }
      connection.written += count
    }
    connection.output = []
    connection.written = 0
    return .moved(0)
  }

  /// Closing at once with unread bytes would reset the connection and take the reply away from the client.
  private func linger(_ connection: Connection) {
    connection.transport.endSending()
    connection.state = .lingering(discarded: 0)
    setDeadline(connection, milliseconds: settings.lingerMilliseconds)
    watch(connection, clinux_epollin)
    discard(connection)
  }

  private func discard(_ connection: Connection) {
    guard case .lingering(let discarded) = connection.state else { return }
    switch connection.transport.discard(using: received) {
    case .moved(let count) where discarded + count <= Self.lingerBytesMax:
      connection.state = .lingering(discarded: discarded + count)
    case .wantsRead: break
    case .moved, .wantsWrite, .ended, .failed: drop(connection)
    }
  }

  private func watch(_ connection: Connection, _ interest: UInt32) {
    guard connection.interest != interest else { return }
    connection.interest = interest
    _ = clinux_epoll_modify(epoll, connection.transport.socket, interest, connection.token.rawValue)
  }
}

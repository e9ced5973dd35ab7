import CLinux
import Glibc
public import HTTPTypes
import Service

/// A blocking HTTP/1.1 client for one thread, with one kept connection per origin.
///
/// Each step has its deadline, with one exception: looking up a name is the system's `getaddrinfo`, which follows
/// `/etc/resolv.conf` (`timeout`, `attempts`); numeric addresses need none. Redirects are not followed and
/// nothing is tried twice, except that a kept connection which turns out to be closed before any byte of the
/// request has left is replaced by a new one.
///
/// The peer is always verified: chain, name (or address), TLS 1.2 or later. SIGPIPE is blocked on the thread
/// that sends over TLS and stays blocked there.
public final class HTTPClient {
  private struct Kept {
    var connection: ClientConnection
    var since: Int64
  }

  private let settings: HTTPClientSettings
  private var kept: [HTTPURL.Origin: Kept] = [:]
  private var trust: ClientTrust?
  private var received = [UInt8](repeating: 0, count: 16 * 1024)

  public init(settings: HTTPClientSettings = .init()) { self.settings = settings }

  /// Sends the request and waits for its reply; every status is a reply.
  /// - Parameter mayWrite: asked once more when the connection is open and nothing but the write follows; no gives
  ///   `notSent` in the phase `request`.
  public func send(
    _ request: HTTPClientRequest, mayWrite: () -> Bool = { true }
  ) throws(HTTPClientError) -> HTTPResponse {
    let origin = request.url.origin
    guard HTTPFields.isValidName(request.method.rawValue), request.url.target.path != "*",
      request.fields.allSatisfy({ HTTPFields.isValidName($0.name) && HTTPFields.isValidValue($0.value) })
    else {
      let reason = "the method or a field has characters that HTTP does not allow"
      throw .notSent(.init(origin: origin.description, phase: .request, reason: reason))
    }
    if origin.scheme == .https { clinux_block_sigpipe() }
    let bytes = HTTPSerializer.bytes(
      of: request.method, target: request.url.target, host: origin.authority, fields: request.fields,
      body: request.body)
    let exchange = ClientExchange(settings: settings, method: request.method, bytes: bytes)
    if let connection = takeKept(origin) {
      do throws(ClientExchange.Stopped) {
        return try run(exchange, on: connection, origin, mayWrite)
      } catch {
        // The server may have closed it between two requests. Where nothing has left, a new one changes nothing.
        guard !error.mayHaveLeft, error.phase != .request else { throw error.clientError(origin) }
      }
    }
    let connection: ClientConnection
    do throws(ConnectionFailure) {
      connection = try ClientConnection(origin: origin, settings: settings, trust: trust(for: origin))
    } catch {
      throw .notSent(.init(origin: origin.description, phase: error.phase, reason: error.reason))
    }
    do throws(ClientExchange.Stopped) {
      return try run(exchange, on: connection, origin, mayWrite)
    } catch {
      throw error.clientError(origin)
    }
  }

  /// Closes what is kept; the client can be used on.
  public func closeKept() { kept = [:] }

  private func run(
    _ exchange: ClientExchange, on connection: ClientConnection, _ origin: HTTPURL.Origin, _ mayWrite: () -> Bool
  ) throws(ClientExchange.Stopped) -> HTTPResponse {
    guard mayWrite() else {
      throw ClientExchange.Stopped(phase: .request, reason: "the caller changed its mind", mayHaveLeft: false)
    }
    let (response, keepAlive) = try exchange.run(on: connection, buffer: &received)
    if keepAlive { keep(connection, origin) }
    return response
  }

  /// The kept connection of the origin, unless it was idle for too long or the server has closed it.
  private func takeKept(_ origin: HTTPURL.Origin) -> ClientConnection? {
    guard let found = kept.removeValue(forKey: origin),
      MonotonicClock.milliseconds() - found.since <= settings.idleMilliseconds, !found.connection.isStale
    else { return nil }
    return found.connection
  }

  private func keep(_ connection: ClientConnection, _ origin: HTTPURL.Origin) {
    guard settings.keptConnectionsMax > 0 else { return }
    if kept.count >= settings.keptConnectionsMax, let oldest = kept.min(by: { $0.value.since < $1.value.since }) {
      kept[oldest.key] = nil
    }
    kept[origin] = Kept(connection: connection, since: MonotonicClock.milliseconds())
  }

  private func trust(for origin: HTTPURL.Origin) throws(ConnectionFailure) -> ClientTrust? {
    guard origin.scheme == .https else { return nil }
    if let trust { return trust }
    let made = try ClientTrust(authoritiesPath: settings.authoritiesPath)
    trust = made
    return made
  }
}

import Glibc
public import Service

/// An HTTP/1.1 server: epoll on a few owned threads, each with its own listener and its own connections.
///
/// One request per connection is in flight; what a client sends ahead waits, at most one receive buffer of
/// it. Every wait has a deadline and every size a bound, see `HTTPServerSettings`.
public final class HTTPServer: Sendable {
  private struct Running {
    var loops: [(mailbox: Mailbox, thread: OwnedThread)] = []
    var hasStarted = false
  }

  private let settings: HTTPServerSettings
  private let clock: WallClock
  private let handler: HTTPHandler
  private let running = Monitor(Running())

  /// - Parameter clock: for the Date field only.
  public init(settings: HTTPServerSettings, clock: WallClock = .system, handler: @escaping HTTPHandler) {
    precondition(settings.threads > 0, "a server has at least one thread")
    precondition(settings.connectionsMax >= settings.threads, "each thread needs room for a connection")
    self.settings = settings
    self.clock = clock
    self.handler = handler
  }

  /// Listens and serves on threads of its own; returns once connections are taken. To be called once.
  /// - Returns: the port, which matters when the settings say 0.
  @discardableResult
  public func start() throws(HTTPServerError) -> UInt16 {
    let alreadyStarted = running.withLock { running in
      defer { running.hasStarted = true }
      return running.hasStarted
    }
    precondition(!alreadyStarted, "a server is started once; make another one")
    let tls: TLSContext? =
      if let tls = settings.tls { try TLSContext(certificatePath: tls.certificatePath, keyPath: tls.keyPath) } else {
        nil
      }
    let listeners = try Listener.listeners(
      address: settings.address, port: settings.port, backlog: settings.backlog, count: settings.threads)
    var loops: [ServerLoop] = []
    for listener in listeners {
      loops.append(try ServerLoop(listener: listener, tls: tls, settings: settings, clock: clock, handler: handler))
    }
    let threads = loops.enumerated().map { index, loop in
      (mailbox: loop.mailbox, thread: OwnedThread(name: "http-\(index)") { loop.run() })
    }
    running.withLock { $0.loops = threads }
    return listeners[0].port
  }

  /// Stops listening, lets requests that have begun finish, closes, and returns when the threads have ended: at the latest
  /// after `stopMilliseconds`. Idle connections are closed at once. Further calls return at once.
  /// Not to be called on a network thread.
  public func stop() {
    let loops = running.withLock { running in
      defer { running.loops = [] }
      return running.loops
    }
    let deadline = MonotonicClock.milliseconds() + settings.stopMilliseconds
    for loop in loops { loop.mailbox.post(.stop(deadline: deadline)) }
    for loop in loops { loop.thread.join() }
  }

  /// A server nobody holds any more is stopped.
  deinit { stop() }
}

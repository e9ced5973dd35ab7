import CLinux
import Glibc
import Synchronization

/// A thread that somebody owns: whatever blocks (SQLite, fsync, poll, a TLS handshake) runs on one of
/// these and never on Swift's cooperative pool.
public final class OwnedThread: Sendable {
  private let thread: Mutex<pthread_t?>

  /// Starts the thread at once.
  /// - Parameters:
  ///   - name: shown by `ps -T` and in a debugger, cut to 15 bytes.
  ///   - body: runs once; the thread ends with it.
  public init(name: String, body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
        clinux_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    precondition(code == 0, "no thread could be started for \(name): error \(code); raise the process's thread limit")
    self.thread = Mutex(thread)
  }

  /// Waits until the body has ended; a second call returns at once. Not to be called by the thread itself.
  public func join() {
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread { pthread_join(thread, nil) }
  }

  deinit {
    if let thread = thread.withLock({ $0 }) { pthread_detach(thread) }
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = String(name.prefix(15))
      self.body = body
    }
  }
}

import Glibc

/// Signals as a wait: no handler runs in the middle of something else.
public enum ProcessSignals {
  /// Called first thing in a program, before any other thread exists: threads inherit it. A socket closed by its
  /// peer must not end the process.
  public static func hold() {
    signal(SIGPIPE, SIG_IGN)
    var held = set()
    pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// Waits until the program is told to stop (SIGTERM or SIGINT).
  /// - Parameter reload: called for each SIGHUP.
  public static func waitForStop(reload: () -> Void = {}) {
    var held = set()
    while true {
      var received: Int32 = 0
      guard sigwait(&held, &received) == 0 else { continue }
      if received != SIGHUP { return }
      reload()
    }
  }

  private static func set() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
    return set
  }
}

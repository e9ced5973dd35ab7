import Glibc

/// Signals as a wait: no handler runs in the middle of something else.
public enum ProcessSignals {
  /// Called first thing in a program, before any other thread exists: threads inherit it. A socket closed by its
  /// peer must not end the process.
  public static func hold() {
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is a failed write like any other.
    signal(SIGXFSZ, SIG_IGN)
    var held = set()
    pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// Waits until the program is told to stop (SIGTERM or SIGINT).
  /// - Parameters:
  ///   - hangUp: called for each SIGHUP.
  ///   - eachSecond: called once a second meanwhile.
  public static func waitForStop(hangUp: () -> Void = {}, eachSecond: () -> Void = {}) {
    var held = set()
    var second = timespec(tv_sec: 1, tv_nsec: 0)
    while true {
      switch sigtimedwait(&held, nil, &second) {
      case SIGTERM, SIGINT: return
      case SIGHUP: hangUp()
      default: eachSecond()
      }
    }
  }

  private static func set() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
    return set
  }
}

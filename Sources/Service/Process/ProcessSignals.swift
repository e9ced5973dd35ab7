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

  /// Runs long work of a command that can end in order: a SIGINT or SIGTERM that comes meanwhile does nothing but be
  /// told when asked for.
  /// - Parameter body: makes its threads itself, so that they inherit this.
  public static func heldWhile<Result, Failure: Error>(
    _ body: (_ isToldToStop: () -> Bool) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var held = set([SIGTERM, SIGINT])
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &held, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body {
      var held = set([SIGTERM, SIGINT])
      var moment = timespec(tv_sec: 0, tv_nsec: 0)
      return sigtimedwait(&held, nil, &moment) > 0
    }
  }

  private static func set(_ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}

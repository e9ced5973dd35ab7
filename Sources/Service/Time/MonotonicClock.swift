import Glibc

/// Time that only goes forward: for deadlines of sockets, queues and waits, never for what is written down.
public enum MonotonicClock {
  /// Milliseconds since some instant before this process began.
  public static func milliseconds() -> Int64 { nanoseconds() / 1_000_000 }

  /// Nanoseconds since the same instant.
  public static func nanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}

import Glibc

/// Reads the instant, in milliseconds since 1970, UTC.
///
/// A clock can be set to start elsewhere and to run faster (setting `clock`), for old test vectors and
/// demonstrations; deadlines of sockets are not concerned, they follow `MonotonicClock`.
public struct WallClock: Sendable {
  public var now: @Sendable () -> Int64
  /// How many of its milliseconds pass in one real millisecond; 1 for the machine's own clock.
  public var speed: Double

  public init(speed: Double = 1, now: @escaping @Sendable () -> Int64) {
    self.now = now
    self.speed = speed
  }

  /// The machine's clock.
  public static let system = WallClock {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// Stands still at one instant.
  public static func fixed(_ milliseconds: Int64) -> Self { .init { milliseconds } }

  /// Shows `start` when the machine's clock shows `since`, and runs `speed` times as fast from there.
  /// Several processes that are given the same three values agree, also after a restart. Stays within the years
  /// 0 to 9999.
  public static func scaled(start: Int64, since: Int64, speed: Double, base: WallClock = .system) -> Self {
    .init(speed: speed) {
      let shown = Double(start) + (Double(base.now()) - Double(since)) * speed
      return Int64(min(max(shown, Double(RFC3339.range.lowerBound)), Double(RFC3339.range.upperBound)))
    }
  }

  /// Real milliseconds until this clock shows `instant`; 0 when it has passed.
  public func realMilliseconds(until instant: Int64) -> Int64 {
    let (left, isFar) = instant.subtractingReportingOverflow(now())
    if isFar { return instant > 0 ? .max : 0 }
    return left <= 0 ? 0 : Int64(min((Double(left) / speed).rounded(.up), 9e18))
  }
}

/// When to try again after a passing failure: twice as long each time, five minutes at most, with jitter, so that
/// many requests that failed together do not come back together.
struct Backoff: Sendable {
  private static let first: Int64 = 2_000
  /// While tokens are refused: one try each five minutes.
  private static let unauthorised: Int64 = 300_000
  private static let longest: Int64 = 300_000

  /// Of the clock in use, see `WallClock.speed`: the wait is as long in real time whatever the clock shows.
  var speed: Double
  /// A random number from 0 to 1.
  var random: @Sendable () -> Double

  /// Milliseconds to wait after the n-th attempt in a row, n from 1.
  func milliseconds(after attempt: Int) -> Int64 {
    let doubled = Self.first << min(max(attempt - 1, 0), 10)
    return Int64(Double(min(doubled, Self.longest)) * (0.75 + 0.25 * random()) * max(1, speed))
  }

  /// Milliseconds to wait after a limit whose end Apple did not name; it holds up every call of the app.
  /// - Parameter inARow: limits that were met before it, one after the other.
  func afterLimit(inARow: Int) -> Int64 { milliseconds(after: inARow + 1) }

  /// Milliseconds between two tries while tokens are refused.
  var afterUnauthorised: Int64 { Int64(Double(Self.unauthorised) * max(1, speed)) }
}

import AppStore
import Service

/// Apple's limit of calls, for each app and environment: so many in any one second of the machine's clock.
/// Source: App Store Server API, «Identifying rate limits».
final class RateLimit: Sendable {
  /// Of Send Consumption Information in Production; the sandbox has a tenth.
  static let perSecond = 50

  /// nil keeps to Apple's figures, 0 has no limit.
  private let given: Int?
  private let monotonic: @Sendable () -> Int64
  /// Instants of the calls of the last second. Bounded: the apps stand in the settings.
  private let admitted = Monitor<[String: [Int64]]>([:])

  init(_ given: Int?, monotonic: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds) {
    self.given = given
    self.monotonic = monotonic
  }

  func max(in environment: ServerEnvironment) -> Int {
    given ?? (environment == .production ? Self.perSecond : Self.perSecond / 10)
  }

  /// Counts a call.
  /// - Returns: the machine's milliseconds until the next has room; nil when this one had.
  func wait(app bundleId: String, _ environment: ServerEnvironment) -> Int64? {
    let max = max(in: environment)
    guard max > 0 else { return nil }
    let now = monotonic()
    return admitted.withLock { admitted in
      var calls = (admitted["\(environment.rawValue) \(bundleId)"] ?? []).filter { now - $0 < 1000 }
      defer { admitted["\(environment.rawValue) \(bundleId)"] = calls }
      if let first = calls.first, calls.count >= max { return first + 1000 - now }
      calls.append(now)
      return nil
    }
  }
}

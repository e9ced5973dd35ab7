import AppStore
import Service

/// Apple's limit of calls, for each app, environment and kind of call: so many in any one second of the machine's clock,
/// or one in so many seconds.
/// Source: App Store Server API, «Identifying rate limits».
final class RateLimit: Sendable {
  /// So many calls in so many milliseconds.
  struct Rate: Equatable, Sendable {
    var calls: Int
    var milliseconds: Int64 = 1000
  }

  /// nil keeps to Apple's figures, 0 has no limit.
  private let given: Int?
  private let monotonic: @Sendable () -> Int64
  /// Instants of the calls of the last stretch. Bounded: the apps stand in the settings.
  private let admitted = Monitor<[String: [Int64]]>([:])

  init(_ given: Int?, monotonic: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds) {
    self.given = given
    self.monotonic = monotonic
  }

  /// nil where there is no limit.
  func rate(of call: StoreCall, in environment: ServerEnvironment) -> Rate? {
    if let given { return given == 0 ? nil : Rate(calls: given) }
    guard environment == .sandbox else { return Rate(calls: call.perSecond) }
    // A tenth of one call in a second is one in ten.
    return call.perSecond < 10 ? Rate(calls: call.perSecond, milliseconds: 10_000) : Rate(calls: call.perSecond / 10)
  }

  /// Counts a call.
  /// - Returns: the machine's milliseconds until the next has room; nil when this one had.
  func wait(app bundleId: String, _ call: StoreCall, _ environment: ServerEnvironment) -> Int64? {
    guard let rate = rate(of: call, in: environment) else { return nil }
    let now = monotonic()
    return admitted.withLock { admitted in
      let key = "\(environment.rawValue) \(call.rawValue) \(bundleId)"
      var calls = (admitted[key] ?? []).filter { now - $0 < rate.milliseconds }
      defer { admitted[key] = calls }
      if let first = calls.first, calls.count >= rate.calls { return first + rate.milliseconds - now }
      calls.append(now)
      return nil
    }
  }
}

import Service

/// What went wrong with a file of late. It is forgotten at the next success, or after a while: a
/// receiver that is sent nothing because it is not ready would never find out that the disk is well
/// again.
final class RecentFault: Sendable {
  private static let rememberedMilliseconds: Int64 = 30_000

  private let fault = Monitor<(reason: String, at: Int64)?>(nil)

  func set(_ reason: String) { fault.withLock { $0 = (reason, MonotonicClock.milliseconds()) } }

  func clear() { fault.withLock { $0 = nil } }

  /// nil where nothing went wrong of late.
  var reason: String? {
    let now = MonotonicClock.milliseconds()
    return fault.withLock { fault in
      fault.flatMap { now - $0.at < Self.rememberedMilliseconds ? $0.reason : nil }
    }
  }
}

/// Appends that the log did not take, one after the other.
struct Refusals {
  /// A disk that is slow for a moment, or full until something is removed, is waited for.
  static let patienceMilliseconds: Int64 = 5_000

  private var first: Int64?
  private var last: Int64 = 0
  private var reason = ""

  /// - Parameter instant: of `MonotonicClock`.
  mutating func add(_ reason: String, at instant: Int64) {
    if first == nil { first = instant }
    last = instant
    self.reason = reason
  }

  /// Why the log takes nothing, where that has lasted so long that another responder should try; nil where it has not.
  var lasting: String? {
    guard let first, last - first >= Self.patienceMilliseconds else { return nil }
    return reason
  }
}

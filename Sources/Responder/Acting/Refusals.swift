import EventLog

/// Appends that the log did not take, one after the other.
struct Refusals {
  /// What was refused that long after the one before is no part of the same trouble. An append is answered within
  /// three seconds and tried again a second later.
  static let gapMilliseconds: Int64 = 10_000
  /// A disk that is slow for a moment, or full until something is removed, is waited for.
  static let patienceMilliseconds: Int64 = 5_000

  private var first: Int64?
  private var last: Int64 = 0
  /// Of the last one, until something is written again; nil where there is none.
  private(set) var reason: String?
  /// Where the log ended then; nil where that is not known.
  private var head: Position?
  /// Whether it was said that the lead is given up for them.
  var isSaid = false

  /// - Parameters:
  ///   - instant: of `MonotonicClock`.
  ///   - head: where the log ends; nil where that cannot be read.
  mutating func add(_ reason: String, at instant: Int64, head: Position?) {
    if first == nil || instant - last > Self.gapMilliseconds { first = instant }
    last = instant
    self.reason = reason
    self.head = head
  }

  /// Why the log takes nothing, where that has lasted so long that another responder should try; nil where it has not.
  var lasting: String? {
    guard let first, last - first >= Self.patienceMilliseconds else { return nil }
    return reason
  }

  /// The lead was given up, or taken: the patience begins anew. That the log took nothing stays true.
  mutating func countAnew() { first = nil }

  /// Whether the log has grown since the last refusal: somebody could write.
  mutating func areOver(at head: Position) -> Bool {
    guard reason != nil else { return false }
    guard let before = self.head else {
      self.head = head
      return false
    }
    return head > before
  }
}

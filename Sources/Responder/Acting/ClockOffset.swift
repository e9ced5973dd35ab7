/// How far Apple's clock is from this machine's, from the Date fields of Apple's replies.
///
/// A reply says little: Apple wrote its Date, in whole seconds, at some instant between the sending and the reply. So each
/// gives bounds, and nothing is believed that several replies in a row do not agree on.
struct ClockOffset: Sendable, Equatable {
  /// What one reply allows: milliseconds that Apple's clock is ahead of ours.
  struct Bounds: Sendable, Equatable {
    var low: Int64
    var high: Int64

    /// - Parameters:
    ///   - date: what Apple's Date says; the fraction of its second is not told.
    ///   - sentAt: when we sent the request, by our clock.
    ///   - repliedAt: when we had the reply.
    init(date: Int64, sentAt: Int64, repliedAt: Int64) {
      low = date - repliedAt
      high = max(low, date + 999 - sentAt)
    }

    private init(low: Int64, high: Int64) {
      self.low = low
      self.high = high
    }

    /// What both allow; nil where they contradict each other.
    func agreeing(with other: Bounds) -> Bounds? {
      let low = max(low, other.low)
      let high = min(high, other.high)
      return low <= high ? Bounds(low: low, high: high) : nil
    }

    var middle: Int64 { low + (high - low) / 2 }

    func contains(_ offset: Int64, within slack: Int64 = 0) -> Bool { low - slack <= offset && offset <= high + slack }
  }

  /// So many replies in a row must agree before they count.
  static let repliesMin = 3
  /// Those that agreed last are kept: more would only follow a clock that drifts.
  private static let repliesMax = 8

  /// Replies that agree with each other, the newest last.
  private var agreed: [Bounds] = []
  /// Replies that contradict those, or are not enough yet.
  private var candidates: [Bounds] = []

  /// Milliseconds to add to this machine's clock; 0 where the clocks agree as far as anyone can tell, or nobody knows.
  private(set) var milliseconds: Int64 = 0

  /// Whether replies agree on it.
  var isKnown: Bool { !agreed.isEmpty }
  /// Whether a reply says clearly that it is another one, and awaits the agreement of others.
  var isDisputed: Bool { candidates.contains { !$0.contains(milliseconds, within: 1_000) } }

  /// Takes what a reply allows.
  mutating func take(_ bounds: Bounds) {
    if let allowed = Self.allowed(agreed + [bounds]), !agreed.isEmpty {
      agreed = (agreed + [bounds]).suffix(Self.repliesMax)
      candidates = []
      settle(allowed)
      return
    }
    candidates.append(bounds)
    while Self.allowed(candidates) == nil { candidates.removeFirst() }
    guard candidates.count >= Self.repliesMin, let allowed = Self.allowed(candidates) else { return }
    agreed = candidates
    candidates = []
    settle(allowed)
  }

  /// Moves no farther than it must.
  private mutating func settle(_ allowed: Bounds) {
    if allowed.contains(milliseconds) { return }
    milliseconds = allowed.contains(0) ? 0 : allowed.middle
  }

  /// What all of them allow; nil where they contradict each other.
  private static func allowed(_ all: [Bounds]) -> Bounds? {
    var allowed = all.first
    for next in all.dropFirst() { allowed = allowed?.agreeing(with: next) }
    return allowed
  }
}

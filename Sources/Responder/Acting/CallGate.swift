/// Whether calls for one app in one environment may be made now, by what the App Store said to the last ones.
///
/// After a token was refused, one call at a time goes through: at once with a fresh token, then every five minutes, and
/// at once when settings have changed, until one is let in. A limit holds for all calls of the app, not only for the
/// one that met it.
struct CallGate: Sendable {
  /// What a result changed.
  enum Change: Equatable, Sendable { case paused, opened }

  /// Milliseconds between two tries while tokens are refused.
  let probeEvery: Int64

  /// From when on one call may try; nil where tokens are taken.
  private var probeAt: Int64?
  /// Refused with a fresh token too.
  private(set) var isPaused = false
  private var limitedUntil: Int64 = 0
  /// Position of the newest claim whose result was looked at: results come back in any order.
  private var newest: Int64 = 0

  init(probeEvery: Int64) { self.probeEvery = probeEvery }

  /// The instant from which on a call may be made; nil where it may be made now.
  /// - Parameter lastCall: from then on a limit does not hold the call up any more, as its window closes soon.
  func opensAt(now: Int64, lastCall: Int64) -> Int64? {
    let opens = max(min(limitedUntil, lastCall), probeAt ?? 0)
    return now < opens ? opens : nil
  }

  /// A call was begun.
  mutating func begin(now: Int64) { if probeAt != nil { probeAt = now + probeEvery } }

  /// Takes the result of a call.
  /// - Parameters:
  ///   - claim: position of its claim.
  ///   - isOld: it was made by an earlier process, or before settings changed: key and settings may be right by now.
  mutating func note(_ result: RefundRequest.Result, claim: Int64, isOld: Bool, now: Int64) -> Change? {
    // However late it is told, Apple wants no call before that instant.
    if case .limited(let retryAt) = result { limitedUntil = max(limitedUntil, retryAt) }
    guard claim > newest else { return nil }
    newest = claim
    switch result {
    case .unauthorised:
      if isOld { return refused(again: now) }
      return refused(again: probeAt == nil ? now : now + probeEvery, isPaused: probeAt != nil)
    case .sent, .refused, .limited: return open()
    case .failed, .unknown: return nil
    }
  }

  /// Key or settings may be right now: one call tries at once.
  mutating func tryAgain(now: Int64) { if probeAt != nil { probeAt = now } }

  private mutating func refused(again: Int64, isPaused: Bool = false) -> Change? {
    probeAt = again
    guard isPaused, !self.isPaused else { return nil }
    self.isPaused = true
    return .paused
  }

  private mutating func open() -> Change? {
    let wasShut = probeAt != nil
    probeAt = nil
    isPaused = false
    return wasShut ? .opened : nil
  }
}

/// Whether calls for one app in one environment may be made now, by what the App Store said to the last ones.
///
/// After a token was refused, one call at a time goes through: at once with a fresh token, then every five minutes, and
/// at once when settings have changed, until one is let in. A limit holds for all calls of the app, not only for the
/// one that met it.
struct CallGate: Sendable {
  /// What a result changed.
  enum Change: Equatable, Sendable {
    case paused, opened
    /// All calls of the app wait until then.
    case limited(until: Int64)
  }

  /// Milliseconds between two tries while tokens are refused.
  let probeEvery: Int64

  /// From when on one call may try; nil where tokens are taken.
  private var probeAt: Int64?
  /// Refused with a fresh token too.
  private(set) var isPaused = false
  /// When a token was last taken; nil where that was not seen.
  private(set) var takenAt: Int64?
  private var limitedUntil: Int64 = 0
  /// Limits that were met one after the other, each by a call that was made when the one before had passed.
  private(set) var limitsInARow = 0
  /// Position of the newest claim whose result was looked at: results come back in any order.
  private var newest: Int64 = 0

  init(probeEvery: Int64) { self.probeEvery = probeEvery }

  /// The instant from which on a call may be made; nil where it may be made now.
  /// - Parameter lastCall: from then on a limit does not hold the call up any more, as its window closes soon.
  func opensAt(now: Int64, lastCall: Int64) -> Int64? {
    // No wait of ours is longer: what lies farther ahead was reckoned by a clock that was wrong then.
    let limit = limitedUntil - now > limitMax ? 0 : limitedUntil
    let probe = probeAt.map { $0 - now > probeEvery ? 0 : $0 } ?? 0
    let opens = max(min(limit, lastCall), probe)
    return now < opens ? opens : nil
  }

  /// Until when Apple's limit holds; nil where none does.
  func limitEnd(now: Int64) -> Int64? { now < limitedUntil && limitedUntil - now <= limitMax ? limitedUntil : nil }

  /// Limits are counted over the hour: none is believed to last longer.
  private var limitMax: Int64 { 12 * probeEvery }

  /// A call was begun.
  mutating func begin(now: Int64) { if probeAt != nil { probeAt = now + probeEvery } }

  /// Takes the result of a call.
  /// - Parameters:
  ///   - claim: position of its claim.
  ///   - madeAt: when it was claimed.
  ///   - isOld: it was made by an earlier process, or before settings changed: key and settings may be right by now.
  mutating func note(
    _ result: RefundRequest.Result, claim: Int64, madeAt: Int64 = 0, isOld: Bool, now: Int64
  ) -> Change? {
    let before = limitedUntil
    // However late it is told, Apple wants no call before that instant.
    if case .limited(let retryAt) = result { limitedUntil = max(limitedUntil, retryAt) }
    guard claim > newest else { return nil }
    newest = claim
    switch result {
    case .sent, .refused, .limited: takenAt = madeAt
    case .unauthorised, .failed, .unknown: break
    }
    switch result {
    // Those that were under way together met one limit.
    case .limited: if limitsInARow == 0 || madeAt >= before { limitsInARow += 1 }
    case .sent, .refused: limitsInARow = 0
    case .unauthorised, .failed, .unknown: break
    }
    switch result {
    case .unauthorised:
      if isOld { return refused(again: now) }
      return refused(again: probeAt == nil ? now : now + probeEvery, isPaused: probeAt != nil)
    case .sent, .refused: return open()
    case .limited: return open() ?? (limitedUntil > max(before, now) ? .limited(until: limitedUntil) : nil)
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

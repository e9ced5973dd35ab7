import Contracts

/// When Apple is asked for its time, and which cases wait for what it says. Instants are milliseconds of a clock that only goes
/// forward.
///
/// A service may start with a clock that is wrong, as a machine does that has not found its time server yet. So what would
/// end for the time first waits for a word of Apple's. Nothing is lost by it: while Apple is not to be reached, nothing can be
/// answered either, and what has ended can never be.
struct TimeQuestions: Sendable {
  /// As long as a window is: what was held for that long has ended, whatever the clock says.
  static let patienceMilliseconds: Int64 = 12 * 3_600_000
  private static let pauseMin: Int64 = 500
  private static let pauseMax: Int64 = 60_000

  private var held: Set<PurchaseKey> = []
  /// When the patience ends; it begins with the first case that is held.
  private var until: Int64?
  /// When to ask again, and after how long; nil where nothing is asked.
  private var asking: (again: Int64, pause: Int64)?

  /// Whether an end for the time waits.
  /// - Parameter isAnswered: Apple has replied since the start.
  func holds(isAnswered: Bool, now: Int64) -> Bool { !isAnswered && (until.map { now < $0 } ?? true) }

  /// A case would end.
  mutating func hold(_ key: PurchaseKey, now: Int64) {
    held.insert(key)
    until = until ?? now + Self.patienceMilliseconds
  }

  var isHolding: Bool { !held.isEmpty }

  /// Those that wait no longer.
  mutating func released(isAnswered: Bool, now: Int64) -> Set<PurchaseKey> {
    if held.isEmpty || holds(isAnswered: isAnswered, now: now) { return [] }
    defer { held = [] }
    return held
  }

  /// Whether Apple is to be asked now; twice as long apart each time.
  /// - Parameter isWanted: its time would tell something.
  mutating func isDue(isWanted: Bool, now: Int64) -> Bool {
    guard isWanted || isHolding else {
      asking = nil
      return false
    }
    return asking.map { now >= $0.again } ?? true
  }

  /// Milliseconds until Apple may be asked again; nil where nothing is to be asked.
  func wait(isWanted: Bool, now: Int64) -> Int64? {
    isWanted || isHolding ? max(0, (asking?.again ?? now) - now) : nil
  }

  mutating func asked(now: Int64) {
    let pause = min(asking.map { $0.pause * 2 } ?? Self.pauseMin, Self.pauseMax)
    asking = (now + pause, pause)
  }
}

import Service

/// The clock that deadlines and tokens go by: this machine's, put right by the Date fields of Apple's replies.
///
/// Where the machine's clock jumps, what is known of it counts for nothing any more. After a jump of over five minutes nobody
/// knows whether it was wrong before or is now; until a reply of Apple's tells, it is doubtful, and nothing may be ended
/// for its sake. So it is after a single reply that says something else by as much.
final class AppleClock: Sendable {
  /// When a call began, by this machine's clock; for `note`.
  struct Mark: Sendable {
    fileprivate var milliseconds: Int64
    fileprivate var jumps: Int
  }

  private struct State {
    var offset = ClockOffset()
    /// The machine's clock less the steady one, when both were looked at last.
    var apart: Int64?
    var jumps = 0
    /// It jumped far, and no reply of Apple's has told the time since.
    var isDoubtful = false
    /// Counts whatever changes what this clock shows.
    var changes = 0
    /// A reply came, whatever it said.
    var isAnswered = false
    /// What was said to be wrong.
    var isOffsetSaid = false
    var isDoubtSaid = false
    /// What Apple's newest Date was, and what ours was then.
    var newest: (apple: Int64, ours: Int64)?
  }

  /// A jump of that much is more than setting a clock right little by little.
  private static let jumpMin: Int64 = 1_000
  /// A jump of that much makes it doubtful.
  private static let doubtMin: Int64 = 300_000
  /// From here on an offset is told of.
  private static let toldMin: Int64 = 3_000

  private let machine: WallClock
  private let steady: @Sendable () -> Int64
  private let logger: Logger
  private let state = Monitor(State())

  /// - Parameter steady: milliseconds that only go forward.
  init(
    _ machine: WallClock, steady: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds, logger: Logger
  ) {
    self.machine = machine
    self.steady = steady
    self.logger = logger
  }

  /// Milliseconds since 1970, UTC.
  func now() -> Int64 {
    let (now, offset) = look { ($0, $1.offset.milliseconds) }
    return now + offset
  }

  /// Milliseconds that only go forward: for how long something takes, whatever the instant is.
  func elapsed() -> Int64 { steady() }

  /// What the machine's own clock shows.
  func machineNow() -> Int64 { machine.now() }

  /// This clock for those who ask for nothing else.
  var wall: WallClock { WallClock(speed: machine.speed) { self.now() } }

  /// Milliseconds that Apple's clock is ahead of this machine's; nil while replies do not agree.
  var offset: Int64? { state.withLock { $0.offset.isKnown ? $0.offset.milliseconds : nil } }

  /// Whether nothing may be ended for the sake of this clock.
  var isDoubtful: Bool { look { $1.isDoubtful } }

  /// Changes when what this clock shows was put right, or jumped: what was reckoned before is to be reckoned anew.
  var changes: Int { look { $1.changes } }

  /// Whether another reply of Apple's would tell something.
  var asksForReply: Bool { look { $1.isDoubtful || $1.offset.isDisputed } }

  /// Apple's newest Date, and this machine's clock then; nil where none came.
  var newest: (apple: Int64, ours: Int64)? { state.withLock { $0.newest } }

  /// A call begins now.
  func mark() -> Mark { look { Mark(milliseconds: $0, jumps: $1.jumps) } }

  /// Its reply came now.
  /// - Parameter date: Apple's, milliseconds since 1970, UTC; nil where there was none.
  func note(_ date: Int64?, since mark: Mark) {
    guard let date else { return state.withLock { $0.isAnswered = true } }
    let news: News? = look { now, state in
      guard mark.jumps == state.jumps, now >= mark.milliseconds else { return nil }
      let bounds = ClockOffset.Bounds(date: date, sentAt: mark.milliseconds, repliedAt: now)
      let before = state.offset.milliseconds
      state.newest = (date, now)
      state.isAnswered = true
      state.offset.take(bounds)
      // What moves by less was reckoned well enough.
      if abs(state.offset.milliseconds - before) >= Self.jumpMin { state.changes += 1 }
      let isDoubtful = !bounds.contains(state.offset.milliseconds, within: Self.doubtMin)
      if state.isDoubtful != isDoubtful {
        state.isDoubtful = isDoubtful
        state.changes += 1
      }
      let isLarge = abs(state.offset.milliseconds) >= Self.toldMin
      guard state.offset.isKnown, isLarge != state.isOffsetSaid else { return nil }
      state.isOffsetSaid = isLarge
      return isLarge ? .isWrong(byMilliseconds: state.offset.milliseconds) : .isRight
    }
    if let news { say(news) }
  }

  /// Whether a reply has come since the start: then its clock is known, or it tells none.
  var isAnswered: Bool { state.withLock { $0.isAnswered } }

  private enum News {
    case isWrong(byMilliseconds: Int64)
    case isRight
    case isDoubtful
    case isCertain
  }

  private func say(_ news: News) {
    switch news {
    case .isWrong(let offset):
      logger.warning(
        "this machine's clock is wrong by Apple's replies; deadlines and tokens go by Apple's",
        [
          "milliseconds": .integer(abs(offset)), "clock": .text(offset < 0 ? "ahead" : "behind"),
          "look at": "time synchronisation of this machine (timedatectl, chronyc tracking)",
        ])
    case .isRight: logger.info("this machine's clock agrees with Apple's again")
    case .isDoubtful:
      logger.warning(
        "this machine's clock has jumped, or is far from Apple's; no request is ended for it until Apple's replies tell the time",
        ["look at": "who sets this machine's clock, and whether it is right now"])
    case .isCertain: logger.info("Apple's replies have told the time, requests end by it again")
    }
  }

  /// Reads both clocks, notices a jump, and hands over the machine's instant.
  private func look<Result: Sendable>(_ body: (Int64, inout State) -> Result) -> Result {
    let (result, news): (Result, News?) = state.withLock { state in
      let before = steady()
      let now = machine.now()
      let after = steady()
      notice(now, before, after, &state)
      let result = body(now, &state)
      if state.isDoubtful == state.isDoubtSaid { return (result, nil) }
      state.isDoubtSaid = state.isDoubtful
      return (result, state.isDoubtful ? .isDoubtful : .isCertain)
    }
    if let news { say(news) }
    return result
  }

  /// - Parameter before, after: the steady clock, around the reading of the machine's: this thread may have waited there.
  private func notice(_ now: Int64, _ before: Int64, _ after: Int64, _ state: inout State) {
    let speed = machine.speed
    let low = now - Int64(Double(after) * speed)
    let high = now - Int64(Double(before) * speed)
    let last = state.apart ?? high
    state.apart = min(max(last, low), high)
    // A faster clock jumps farther when the machine's does.
    let jump = Double(abs(last - state.apart!)) / max(1, speed)
    guard jump >= Double(Self.jumpMin) else { return }
    state.jumps += 1
    state.changes += 1
    // A small one leaves a clock far off that was: without what was known of it, it is not to be believed.
    if max(jump, Double(abs(state.offset.milliseconds))) >= Double(Self.doubtMin) { state.isDoubtful = true }
    state.offset = ClockOffset()
  }
}

import Service
import TestSupport

/// Lets one thread run at a time, in an order and at instants of a virtual clock that a seed draws: what blocks in the
/// real world gives the turn away here, so that the same seed tells the same story.
///
/// `@unchecked Sendable`: everything in it is touched by whoever has the turn, and turns are handed over under locks.
final class Scheduler: @unchecked Sendable {
  /// Milliseconds since 1970, UTC; what a perfect clock would show.
  private(set) var now: Int64
  var random: SeededRandom
  private var strands: [Strand] = []
  private let back = Monitor(false)
  private var current: Strand!
  /// Called after each turn, by whoever runs the scheduler.
  var afterTurn: () -> Void = {}

  /// One line of doing: a thread that runs when it has the turn.
  private final class Strand {
    let name: String
    let process: SimulatedProcess?
    let turn = Monitor(false)
    var thread: OwnedThread?
    var wakeAt: Int64
    /// A look that nothing depends on: time is not stepped forward for it.
    var isPoll = false
    var hearsNews = false
    var isDone = false

    init(name: String, process: SimulatedProcess?, wakeAt: Int64) {
      self.name = name
      self.process = process
      self.wakeAt = wakeAt
    }
  }

  init(seed: UInt64, now: Int64) {
    random = SeededRandom(seed: seed)
    self.now = now
  }

  /// Starts a strand; it gets its first turn when the scheduler says so.
  /// - Parameter process: with whose crash it ends; nil for what happens outside.
  func start(
    _ name: String, in process: SimulatedProcess? = nil, at instant: Int64? = nil, _ body: @escaping () -> Void
  ) {
    let strand = Strand(name: name, process: process, wakeAt: instant ?? now)
    strands.append(strand)
    nonisolated(unsafe) let (given, run) = (strand, body)
    strand.thread = OwnedThread(name: name) { [self] in
      Self.wait(for: given.turn)
      run()
      given.isDone = true
      back.change { $0 = true }
    }
  }

  // MARK: For the strand that has the turn

  /// Gives the turn away until an instant.
  /// - Parameters:
  ///   - isPoll: time is not stepped forward for it, so it may come later.
  ///   - hearsNews: the log's news end it sooner.
  func pause(until instant: Int64, isPoll: Bool = false, hearsNews: Bool = false) {
    let strand = current!
    strand.wakeAt = max(instant, now)
    strand.isPoll = isPoll
    strand.hearsNews = hearsNews
    back.change { $0 = true }
    Self.wait(for: strand.turn)
  }

  func pause(milliseconds: Int64) { pause(until: now + milliseconds) }

  func draw(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

  func isOne(in count: Int) -> Bool { random.isOne(in: count) }

  // MARK: Wake-ups

  /// The log has grown.
  func news() {
    for strand in strands where strand.hearsNews && strand.wakeAt > now {
      strand.wakeAt = min(strand.wakeAt, now + draw(0...20))
      strand.isPoll = false
    }
  }

  /// Something changed that is no news of the log: who waits for that looks each second besides.
  func lookSoon() {
    for strand in strands where strand.hearsNews {
      strand.wakeAt = min(strand.wakeAt, now + draw(0...1_000))
      strand.isPoll = false
    }
  }

  /// Lets the strands of a process that crashed come to their end.
  func unwind(_ process: SimulatedProcess) {
    for strand in strands where strand.process === process { strand.wakeAt = now }
    lookSoon()
  }

  func hasStrands(of process: SimulatedProcess) -> Bool { strands.contains { $0.process === process } }

  // MARK: Running

  /// Gives turns until nothing is left to happen before an instant.
  func run(until end: Int64) {
    while true {
      let ready = strands.indices.filter { strands[$0].wakeAt <= now }
      guard let chosen = ready.randomElement(using: &random) else {
        guard let next = strands.lazy.filter({ !$0.isPoll }).map(\.wakeAt).min(), next <= end else { break }
        now = next
        continue
      }
      let strand = strands[chosen]
      current = strand
      strand.turn.change { $0 = true }
      Self.wait(for: back)
      if strand.isDone {
        strand.thread?.join()
        strands.removeAll { $0 === strand }
      }
      // Doing takes time.
      if random.isOne(in: 8) { now += 1 }
      afterTurn()
    }
    now = max(now, end)
  }

  private static func wait(for turn: Monitor<Bool>) {
    _ = turn.wait { isThere -> Bool? in
      guard isThere else { return nil }
      isThere = false
      return true
    }
  }
}

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
  private var end: Int64 = .min

  /// One line of doing: a thread that runs when it has the turn.
  private final class Strand {
    let name: String
    let process: SimulatedProcess?
    let turn = Monitor(false)
    var wakeAt: Int64
    /// A look that nothing depends on: time is not stepped forward for it.
    var isPoll = false
    var hearsNews = false

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
    // Nobody joins it: after its last turn it touches nothing.
    _ = OwnedThread(name: name) { [self] in
      Self.wait(for: given.turn)
      run()
      strands.removeAll { $0 === given }
      handOver(by: nil)
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
    handOver(by: strand)
  }

  func pause(milliseconds: Int64) { pause(until: now + milliseconds) }

  func draw(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

  func isOne(in count: Int) -> Bool { random.isOne(in: count) }

  // MARK: Wake-ups

  /// The log has grown.
  func news() { tell { _ in true } }

  private func tell(_ isMeant: (Strand) -> Bool) {
    for strand in strands where strand.hearsNews && strand.wakeAt > now && isMeant(strand) {
      strand.wakeAt = min(strand.wakeAt, now + draw(0...20))
      strand.isPoll = false
    }
  }

  /// One process alone has something to look at.
  func wake(_ process: SimulatedProcess) { tell { $0.process === process } }

  /// Something changed that is no news of the log: who waits for that looks each second besides.
  func lookSoon() {
    for strand in strands where strand.hearsNews {
      // When within the second one that polls looks next is as chance has it.
      strand.wakeAt = strand.isPoll ? now + draw(1...1_000) : min(strand.wakeAt, now + draw(0...1_000))
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
    self.end = end
    handOver(by: nil)
    Self.wait(for: back)
    now = max(now, end)
  }

  /// Gives the turn to the next one: from strand to strand, as each switch of threads costs more than most turns.
  /// - Parameter strand: waits for its next turn; nil where it needs none.
  private func handOver(by strand: Strand?) {
    // Doing takes time.
    if random.isOne(in: 8) { now += 1 }
    let next = next()
    if let next, next === strand { return }
    current = next
    (next?.turn ?? back).change { $0 = true }
    if let strand { Self.wait(for: strand.turn) }
  }

  /// nil where nothing is left to happen before the end.
  private func next() -> Strand? {
    while true {
      let ready = strands.indices.filter { strands[$0].wakeAt <= now }
      if let chosen = ready.randomElement(using: &random) { return strands[chosen] }
      guard let instant = strands.lazy.filter({ !$0.isPoll }).map(\.wakeAt).min(), instant <= end else { return nil }
      now = instant
    }
  }

  private static func wait(for turn: Monitor<Bool>) {
    _ = turn.wait { isThere -> Bool? in
      guard isThere else { return nil }
      isThere = false
      return true
    }
  }
}

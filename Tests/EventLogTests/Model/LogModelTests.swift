import EventLog
import Service
import TestSupport
import Testing

/// Promise 5: expectations, duplicates, retries, erasures and reopenings do what the design says, step by step
/// against a model that was written from its words. REFUNDLOG_SEED repeats a run.
@Suite("A log and the model of it", .serialized) struct LogModelTests {
  /// Steps over one log, and logs: a hundred thousand steps in the long form. What a log holds is compared as a whole now
  /// and then, so one long log would take much longer than several.
  private static let stepCount = Effort.pick(5_000, long: 10_000)
  private static let logCount = Effort.pick(1, long: 10)

  @Test("agree over random steps through two handles, with reopenings", .timeLimit(.minutes(15)))
  func local() throws {
    let seed = Effort.seed()
    print("model of the log on disk: \(Self.logCount) times \(Self.stepCount) steps, REFUNDLOG_SEED=\(seed)")
    for number in 0..<Self.logCount { try local(seed: seed &+ UInt64(number)) }
  }

  private func local(seed: UInt64) throws {
    // In memory where the machine has such a folder: what is on disk after a crash is another test's subject.
    let folder = TemporaryFolder(inMemory: true)
    var steps = LogModelSteps(seed: seed)
    var handles = [try LogFixture.local(folder), try LogFixture.local(folder)]
    for number in 1...Self.stepCount {
      try steps.step(handles)
      if steps.chance(in: 200) {
        let place = number % 2
        handles[place].close()
        handles[place] = try LogFixture.local(folder)
      }
    }
    for handle in handles { handle.close() }
    try finish(steps, try LogFixture.local(folder))
    let proof = try LogVerifier(folder: folder.path).verify()
    #expect(proof.events == steps.model.entries.count)
    let blanks = steps.model.entries.indices.filter { steps.model.entries[$0].isErased }
    #expect(proof.blanks == blanks.map { Position(Int64($0 + 1)) })
  }

  @Test("agree over random steps in memory", .timeLimit(.minutes(15)))
  func memory() throws {
    let seed = Effort.seed()
    print("model of the log in memory: \(Self.logCount) times \(Self.stepCount) steps, REFUNDLOG_SEED=\(seed)")
    for number in 0..<Self.logCount {
      let log = MemoryEventLog(parts: LogFixture.parts())
      var steps = LogModelSteps(seed: seed &+ UInt64(number))
      for _ in 0..<Self.stepCount { try steps.step([log]) }
      try finish(steps, log)
    }
  }

  private func finish(_ steps: LogModelSteps, _ log: any EventLog) throws {
    try steps.compare(log)
    (log as? LocalEventLog)?.close()
    print("model: \(steps.model.entries.count) events, \(steps.counts.sorted { $0.key < $1.key })")
    // Each kind of step was taken, or the run shows less than it says.
    for kind in ["recorded", "conflict", "retry", "lost reply", "batch", "erasure", "look"] {
      #expect(steps.counts[kind, default: 0] > 50, "\(kind)")
    }
  }
}

import Service
import TestSupport
import Testing

/// Promises 6, 12 and 13, and every invariant of the design that two services, their log and the App Store can break.
@Suite("Two services, their log and the App Store in one process", .serialized, .timeLimit(.minutes(14)))
struct SimulationTests {
  @Test("keep their promises whatever breaks, and answer what can be answered")
  func worlds() throws {
    let count = Effort.pick(300, long: 10_000)
    let first = Effort.seed() % 1_000_000 * 100_000
    let isOne = ProcessVariables["REFUNDLOG_SEED"] != nil
    let began = MonotonicClock.milliseconds()
    var (requests, answered) = (0, 0)
    for number in 0..<(isOne ? 1 : count) {
      let world = World(seed: isOne ? Effort.seed() : first + UInt64(number))
      if let violated = world.live() {
        Issue.record("\(violated)")
        return
      }
      requests += world.audit.figures.requests
      answered += world.audit.figures.answered
    }
    print(
      "\(count) worlds from \(first): \(requests) requests, \(answered) answered, \(MonotonicClock.milliseconds() - began) ms"
    )
    #expect(isOne || answered > requests / 10)
  }

  @Test("tell the same story for the same seed") func again() {
    let worlds = (0..<2).map { _ in World(seed: 7) }
    for world in worlds { _ = world.live() }
    #expect(worlds[0].story == worlds[1].story)
  }
}

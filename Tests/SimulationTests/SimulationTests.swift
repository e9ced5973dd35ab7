import Glibc
import Service
import TestSupport
import Testing

/// Promises 6, 12 and 13, and every invariant of the design that two services, their log and the App Store can break.
@Suite("Two services, their log and the App Store in one process", .serialized, .timeLimit(.minutes(14)))
struct SimulationTests {
  @Test("keep their promises whatever breaks, and answer what can be answered") func worlds() throws {
    let isOne = ProcessVariables["REFUNDLOG_SEED"] != nil
    let first = isOne ? Effort.seed() : Effort.seed() % 1_000_000 * 100_000
    let count = isOne ? 1 : UInt64(Effort.pick(300, long: 5_000, least: 12))
    let began = MonotonicClock.milliseconds()
    let found = Monitor(Found())
    // Each world has one turn at a time; while it goes from thread to thread, another world has the core.
    let drivers = (0..<min(count, 2 * UInt64(sysconf(Int32(_SC_NPROCESSORS_ONLN))))).map { number in
      OwnedThread(name: "worlds.\(number)") {
        while let next = found.change({ $0.next(of: count) }) {
          let life = World(seed: first + next, isToldWhole: isOne).live()
          // One that is looked at is told as a whole.
          if isOne { print(life.story.joined(separator: "\n")) }
          found.change { $0.note(life) }
        }
      }
    }
    for driver in drivers { driver.join() }
    let all = found.withLock { $0 }
    print(
      "\(all.begun) worlds from \(first): \(all.requests) requests, \(all.answered) answered, "
        + "\(MonotonicClock.milliseconds() - began) ms")
    for violated in all.violated { Issue.record("\(violated)") }
    #expect(isOne || all.answered > all.requests / 10)
  }

  /// What the worlds of all drivers came to; the first that breaks a promise ends it.
  private struct Found {
    var begun: UInt64 = 0
    var requests = 0
    var answered = 0
    var violated: [String] = []

    mutating func next(of count: UInt64) -> UInt64? {
      guard begun < count, violated.isEmpty else { return nil }
      begun += 1
      return begun - 1
    }

    mutating func note(_ life: World.Life) {
      requests += life.requests
      answered += life.answered
      if let violated = life.violated { self.violated.append(violated) }
    }
  }

  @Test("tell the same story for the same seed") func again() {
    let lives = (0..<2).map { _ in World(seed: 7).live() }
    #expect(lives[0].story == lives[1].story)
  }
}

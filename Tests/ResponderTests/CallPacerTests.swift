import Service
import Synchronization
import TestSupport
import Testing

@testable import Responder

@Suite("Calls to the App Store") struct CallPacerTests {
  private static let second: Int64 = 1_000_000_000
  private static let gate = CallGates.Name(app: Story.bundleID, environment: "Production")
  private static let lane = CallLane(gate: gate, kind: .consumption)

  /// A clock that stands where it was set, in nanoseconds.
  private final class Time: Sendable {
    private let instant = Atomic<Int64>(0)
    func set(_ nanoseconds: Int64) { instant.store(nanoseconds, ordering: .releasing) }
    func pass(_ nanoseconds: Int64) { instant.wrappingAdd(nanoseconds, ordering: .acquiringAndReleasing) }
    var now: Int64 { instant.load(ordering: .acquiring) }
  }

  @Test(
    "are at most so many a second, by the app's environment",
    arguments: [
      ("Production", CallPace(), 40), ("Sandbox", CallPace(), 4), ("Production", CallPace(percent: 100), 50),
      ("Sandbox", CallPace(consumptionPerSecond: 10, percent: 10), 0.1),
    ] as [(String, CallPace, Double)])
  func pace(environment: String, pace: CallPace, perSecond: Double) {
    let gate = CallGates.Name(app: Story.bundleID, environment: environment)
    #expect(pace.perSecond(CallLane(gate: gate, kind: .consumption)) == perSecond)
  }

  @Test("are made one interval after the other, and none is made up for") func spacing() {
    let time = Time()
    let pacer = CallPacer(CallPace(percent: 100)) { time.now }
    #expect(pacer.wait(Self.lane) == 0)
    pacer.begin(Self.lane)
    pacer.written(Self.lane)
    #expect(pacer.wait(Self.lane) == Self.second / 50)
    time.pass(Self.second / 50 - 1)
    #expect(pacer.wait(Self.lane) == 1)
    time.pass(10 * Self.second)
    #expect(pacer.wait(Self.lane) == 0)
    pacer.begin(Self.lane)
    pacer.written(Self.lane)
    #expect(pacer.wait(Self.lane) == Self.second / 50, "a long rest does not bring a burst")
  }

  @Test("of another app or environment do not count") func lanes() {
    let time = Time()
    let pacer = CallPacer(CallPace()) { time.now }
    pacer.begin(Self.lane)
    #expect(pacer.wait(Self.lane) > 0)
    for other in [
      CallGates.Name(app: Story.bundleID, environment: "Sandbox"),
      CallGates.Name(app: "com.example.other", environment: "Production"),
    ] { #expect(pacer.wait(CallLane(gate: other, kind: .consumption)) == 0) }
  }

  @Test("that are begun and not written yet count, and do not when they are given up") func unwritten() {
    let time = Time()
    let pacer = CallPacer(CallPace(consumptionPerSecond: 5, percent: 100)) { time.now }
    for number in 0..<5 {
      #expect(pacer.wait(Self.lane) == 0, "call \(number)")
      pacer.begin(Self.lane)
      time.pass(Self.second)
    }
    #expect(pacer.wait(Self.lane) > 0, "five may be written in the next second")
    pacer.givenUp(Self.lane)
    #expect(pacer.wait(Self.lane) == 0)
  }

  @Test(
    "are never more than the pace in any second, however long each takes to be written",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func slidingSecond(seed: UInt64) throws {
    let time = Time()
    let most = 10
    let pacer = CallPacer(CallPace(consumptionPerSecond: most, percent: 100)) { time.now }
    var random = SeededRandom(seed: seed)
    var begun: [Int64] = []
    var written: [Int64] = []
    while written.count < 400 {
      // Each is written up to three seconds after it was begun; some are given up.
      for index in begun.indices.reversed() where begun[index] <= time.now {
        begun.remove(at: index)
        if Int.random(in: 0..<20, using: &random) == 0 {
          pacer.givenUp(Self.lane)
        } else {
          pacer.written(Self.lane)
          written.append(time.now)
        }
      }
      if begun.count < 16, pacer.wait(Self.lane) == 0 {
        pacer.begin(Self.lane)
        begun.append(
          time.now + Int64.random(in: 0...3, using: &random) * Int64.random(in: 0...Self.second, using: &random))
      }
      time.pass(Int64.random(in: 1...Self.second / 100, using: &random))
    }
    for index in written.indices.dropFirst(most) {
      #expect(written[index] - written[index - most] >= Self.second, "\(most + 1) calls within a second")
    }
    #expect(written.last! - written[0] < 120 * Self.second, "and they go on")
  }
}

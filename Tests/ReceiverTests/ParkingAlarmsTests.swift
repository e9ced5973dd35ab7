import Service
import Testing

@testable import Receiver

@Suite("The alarm about what is parked") struct ParkingAlarmsTests {
  private func parked(_ bundle: String, detail: String = "expected another") -> ParkedNotification {
    ParkedNotification(
      bundleID: bundle, environment: "Sandbox", reason: .bundleId, detail: detail, firstReceivedAt: 1,
      lastReceivedAt: 1, token: [1])
  }

  @Test("is given once, again after an hour with the number since, and again when something changes") func quiet() {
    let clock = MovableClock(0)
    let lines = Lines()
    let alarms = ParkingAlarms(
      logger: Logger(format: .json, clock: .fixed(0)) { lines.add($0) }, now: clock.clock.now)
    for _ in 0..<3 { alarms.raise(for: parked("a.b"), .parked(inAll: 1)) }
    #expect(lines.all.count == 1)
    clock.move(to: 3_599_999)
    alarms.raise(for: parked("a.b"), .known(deliveries: 4))
    #expect(lines.all.count == 1)
    clock.move(to: 3_600_000)
    alarms.raise(for: parked("a.b"), .known(deliveries: 5))
    #expect(lines.all.count == 2)
    #expect(lines.all[1].contains(#""since.last.line":4"#))
    alarms.raise(for: parked("a.b", detail: "expected a third"), .parked(inAll: 2))
    alarms.raise(for: parked("a.b"), .full(bound: "receiver.parked.foreign"))
    alarms.raise(for: parked("a.b"), .failed(reason: "disk full"))
    #expect(lines.all.count == 5)
    #expect(lines.all.allSatisfy { $0.contains(#""level":"error""#) })
  }

  @Test("is bounded where a stranger comes with any number of bundles") func manyBundles() {
    let lines = Lines()
    let alarms = ParkingAlarms(logger: Logger(format: .json, clock: .fixed(0)) { lines.add($0) }, now: { 0 })
    for number in 0..<5_000 { alarms.raise(for: parked("a.b\(number)"), .parked(inAll: number)) }
    #expect(lines.all.count == 257)
  }
}

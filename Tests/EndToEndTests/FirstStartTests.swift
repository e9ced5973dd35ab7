import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("Services killed in their very first start", .serialized)
struct FirstStartTests {
  @Test("come up at the next one, whatever was made of the log and the projection by then", .timeLimit(.minutes(3)))
  func firstStart() throws {
    let appStore = WatchedAppStore()
    defer { appStore.stop() }
    let seed = UInt64.random(in: 0...999_999)
    var random = SeededRandom(seed: seed)
    for round in 1...12 {
      let folder = TemporaryFolder()
      var installation = try Installation(in: folder.path, production: appStore.port, sandbox: appStore.port)
      let programs = [try installation.program("refund-receiver"), try installation.program("refund-responder")]
      defer { for program in programs { program.kill() } }
      // Both make the log, in either order or at once.
      for program in Bool.random(using: &random) ? programs : programs.reversed() { try program.start() }
      usleep(UInt32.random(in: 0...80_000, using: &random))
      for program in programs { program.kill() }
      for program in programs { try program.startAndWait() }
      #expect(programs.allSatisfy { $0.endedByItself.isEmpty }, "seed \(seed), round \(round)")

      let notices = SignedNotices(store: installation.store)
      let now = WallClock.system.now()
      let token = notices.token(
        "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(5, round), signedAt: now,
        notices.transaction(String(2_000_000_000_000_000 + round), signedAt: now))
      #expect(try installation.post(token) == 200, "seed \(seed), round \(round)")
      try Projected(data: installation.data).waitUntilAtRest(LocalEventLog.reading(installation.data))
      #expect(appStore.calls.count == round, "seed \(seed), round \(round)")
    }
  }
}

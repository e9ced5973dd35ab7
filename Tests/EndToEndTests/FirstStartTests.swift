import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("Services killed in their very first start", .serialized)
struct FirstStartTests {
  /// Ends of names of what the first start makes, oldest first; those of the projection more often.
  private static let made = [
    "/data", "events.sqlite", "events.sqlite-wal", "events.gate", "events.bell", "responder.leader",
    "cases", "cases-wal", "cases-wal", "cases-shm",
  ]

  private static func isThere(_ file: String, in data: String) -> Bool {
    if file == "/data" { return access(data, F_OK) == 0 }
    guard file.hasPrefix("cases") else { return access("\(data)/\(file)", F_OK) == 0 }
    return Projected.files(in: data).contains { $0.hasSuffix(".sqlite" + file.dropFirst("cases".count)) }
  }

  @Test("come up at the next one, whatever was made of the log and the projection by then", .timeLimit(.minutes(3)))
  func firstStart() throws {
    let appStore = WatchedAppStore()
    defer { appStore.stop() }
    let seed = UInt64.random(in: 0...999_999)
    var random = SeededRandom(seed: seed)
    for round in 1...24 {
      let folder = TemporaryFolder()
      var installation = try Installation(in: folder.path, production: appStore.port, sandbox: appStore.port)
      let programs = [try installation.program("refund-receiver"), try installation.program("refund-responder")]
      defer { for program in programs { program.kill() } }
      // Both make the log, in either order or at once.
      for program in Bool.random(using: &random) ? programs : programs.reversed() { try program.start() }
      // Just after a file has come to be: its making is under way then.
      let file = Self.made.randomElement(using: &random)!
      let deadline = MonotonicClock.milliseconds() + 2_000
      while !Self.isThere(file, in: installation.data), MonotonicClock.milliseconds() < deadline { usleep(50) }
      usleep(UInt32.random(in: 0...2_000, using: &random))
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

  @Test("write what they say nowhere where the caller closed the standard streams", .timeLimit(.minutes(3)))
  func closedStreams() throws {
    let folder = TemporaryFolder()
    var installation = try Installation(in: folder.path, production: 1, sandbox: 1)
    for name in ["refund-receiver", "refund-responder"] {
      _ = try installation.program(name)
      // A second is enough for its first lines; it ends in order.
      let command =
        "timeout -s TERM 2 \(installation.programs)/\(name) --settings \(folder.path)/\(name).json 0<&- 1>&- 2>&-"
      _ = try run("/bin/bash", ["-c", command])
    }
    #expect(Files.size(installation.data + "/events.sqlite") ?? 0 > 0)
    for name in ["events.gate", "events.next", "log.writers", "events.bell", "responder.leader"] {
      #expect((Files.size("\(installation.data)/\(name)") ?? 0) <= (name == "events.bell" ? 40 : 0), "\(name)")
    }
  }
}

import AppStore
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("What is parked for an app that is set up") struct ParkedFeederTests {
  private static let never: Int64 = 3_600_000

  /// A feeder over a folder and a log, without a network.
  private final class Bench: Sendable {
    let folder: String
    let store = SignedStore()
    let setup: ReceiverSetup
    let state: StateWriter
    let feeder: ParkedFeeder
    let lines = Lines()

    init(_ folder: String, log: any EventLog, intervalMilliseconds: Int64) throws {
      self.folder = folder
      setup = ReceiverSetup(apps: [SignedStore.app], verifier: SignedDataVerifier(anchors: [store.anchor]))
      state = StateWriter(
        try StateStore(
          folder: folder, parking: ParkingUsage(limits: ParkingLimits(), configured: setup.bundles),
          quarantine: QuarantineLimits()), clock: .fixed(IntakeFixture.now))
      let lines = lines
      let logger = Logger(format: .json, clock: .fixed(IntakeFixture.now)) { lines.add($0) }
      feeder = ParkedFeeder(
        ParkedFeed(folder: folder, log: log, state: state, logger: logger),
        intervalMilliseconds: intervalMilliseconds)
    }

    deinit {
      feeder.close()
      state.close()
    }

    /// As one that was judged by settings without the app.
    func notification(_ number: Int) -> ParkedNotification {
      ParkedNotification(
        bundleID: SignedStore.bundleID, environment: "Sandbox", notificationUUID: store.uuid(number),
        type: "CONSUMPTION_REQUEST", reason: .bundleId, detail: "", firstReceivedAt: 7, lastReceivedAt: 7,
        token: store.sign(store.notification(uuid: store.uuid(number))))
    }

    func park(_ number: Int) {
      let outcome = Monitor<ParkingOutcome?>(nil)
      state.park(notification(number)) { given in outcome.change { $0 = given } }
      _ = outcome.wait { $0 }
    }

    func parkedCount() throws -> Int { try ReceiverState(folder: folder).parkedCount() }
  }

  @Test("is taken in although it was parked after the settings were changed", .timeLimit(.minutes(5)))
  func late() throws {
    let folder = TemporaryFolder()
    let log = IntakeFixture.memory()
    let bench = try Bench(folder.path, log: log, intervalMilliseconds: 20)
    bench.feeder.take(bench.setup)
    for number in 1...3 {
      bench.park(number)
      try eventually { try bench.parkedCount() == 0 }
    }
    #expect(try log.read(after: .start, limit: 10).map(\.occurredAt) == [7, 7, 7])
  }

  @Test("is taken in at once where it waited for the disk when the settings were changed", .timeLimit(.minutes(5)))
  func queued() throws {
    let folder = TemporaryFolder()
    let log = IntakeFixture.memory()
    let bench = try Bench(folder.path, log: log, intervalMilliseconds: Self.never)
    let gate = open("\(folder.path)/receiver-state.gate", O_RDWR | O_CLOEXEC)
    try #require(flock(gate, LOCK_EX) == 0)
    bench.state.park(bench.notification(1)) { _ in }
    let feeding = OwnedThread(name: "reload") { bench.feeder.take(bench.setup) }
    usleep(200_000)
    close(gate)
    feeding.join()
    #expect(try bench.parkedCount() == 0)
    #expect(try log.read(after: .start, limit: 10).count == 1)
  }

  @Test("is taken in without a change of settings once the log takes it again", .timeLimit(.minutes(5)))
  func heals() throws {
    let folder = TemporaryFolder()
    let log = FailingLog(failures: 2)
    let bench = try Bench(folder.path, log: log, intervalMilliseconds: 20)
    for number in 1...3 { bench.park(number) }
    bench.feeder.take(bench.setup)
    #expect(bench.lines.all.count { $0.contains("it stays parked") } == 1, "one line, however many fail")
    try eventually { try bench.parkedCount() == 0 }
    #expect(log.failuresLeft == 0)
    #expect(try Set(log.read(after: .start, limit: 10).map(\.id)).count == 3)
  }

  @Test("is taken in without a change of settings once the state can be written again", .timeLimit(.minutes(5)))
  func stateHeals() throws {
    let folder = TemporaryFolder()
    let log = IntakeFixture.memory()
    let bench = try Bench(folder.path, log: log, intervalMilliseconds: 20)
    bench.park(1)
    let gate = open("\(folder.path)/receiver-state.gate", O_RDWR | O_CLOEXEC)
    try #require(flock(gate, LOCK_EX) == 0)
    bench.feeder.take(bench.setup)
    #expect(try bench.parkedCount() == 1)
    #expect(bench.lines.all.contains { $0.contains("state could not be used") })
    close(gate)
    try eventually { try bench.parkedCount() == 0 }
    #expect(try log.read(after: .start, limit: 10).count == 1)
  }

  @Test("and stays is judged once for each change of settings, and told once", .timeLimit(.minutes(5)))
  func staying() throws {
    let folder = TemporaryFolder()
    let bench = try Bench(folder.path, log: IntakeFixture.memory(), intervalMilliseconds: 5)
    var shapeless = bench.notification(1)
    shapeless.token = bench.store.sign(bench.store.notification(uuid: bench.store.uuid(1), transaction: nil))
    bench.state.park(shapeless) { _ in }
    bench.feeder.take(bench.setup)
    bench.park(2)
    try eventually { try bench.parkedCount() == 1 }
    let fed = bench.lines.all.filter { $0.contains("parked notifications fed in") }
    #expect(fed.count == 2)
    #expect(fed.first?.contains(#""staying":1"#) == true)
    #expect(fed.last?.contains(#""staying":0"#) == true)
  }

  @Test("and can never become good is let go, with a line; what other roots made stays", .timeLimit(.minutes(5)))
  func refused() throws {
    let folder = TemporaryFolder()
    let log = IntakeFixture.memory()
    let bench = try Bench(folder.path, log: log, intervalMilliseconds: Self.never)
    var broken = bench.notification(1)
    let place = broken.token.count - 20
    broken.token[place] = broken.token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    var foreign = bench.notification(2)
    let other = SignedStore()
    foreign.token = other.sign(other.notification(uuid: other.uuid(2)))
    for notification in [broken, foreign] { bench.state.park(notification) { _ in } }
    bench.feeder.take(bench.setup)
    #expect(try ReceiverState(folder: folder.path).parked().map(\.id) == [2])
    #expect(try log.read(after: .start, limit: 10).isEmpty)
    let line = try #require(bench.lines.all.first { $0.contains("it can never become good") })
    #expect(line.contains("signature-invalid") && line.contains(bench.store.uuid(1)))
    #expect(!line.contains(String(decoding: broken.token.prefix(40), as: UTF8.self)))
  }

  @Test("is in the log once, and nothing of it parked, where it came while the app was added", .timeLimit(.minutes(5)))
  func race() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let receiver = try RunningReceiver(folder.path, apps: [], anchors: [store.anchor], feedMilliseconds: 200)
    let isOver = Monitor(false)
    let kept = Monitor<[String]>([])
    let threads = (0..<4).map { thread in
      OwnedThread(name: "posts.\(thread)") {
        let client = HTTPClient()
        var number = thread
        while !isOver.withLock({ $0 }) {
          number += 4
          let token = store.sign(store.notification(uuid: store.uuid(number)))
          let status = try? receiver.send(IntakeFixture.body(token), client: client).status
          if status == 200 { kept.withLock { $0.append("notification/" + store.uuid(number)) } }
        }
      }
    }
    for _ in 0..<5 {
      usleep(60_000)
      try receiver.reload(apps: [SignedStore.app], anchors: [store.anchor])
      usleep(60_000)
      try receiver.reload(apps: [], anchors: [store.anchor])
    }
    try receiver.reload(apps: [SignedStore.app], anchors: [store.anchor])
    isOver.change { $0 = true }
    for thread in threads { thread.join() }
    try eventually { try receiver.parked().isEmpty }
    let ids = kept.withLock { $0 }
    #expect(ids.count > 40)
    let logged = try receiver.events().map(\.id.text)
    #expect(logged.sorted() == ids.sorted())
  }
}

import AppStore
import Contracts
import EventLog
import Glibc
import HTTPServer
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("What is parked, once the settings fit") struct ParkedFeedTests {
  private static let later = RunningReceiver.now + 3_600_000

  private func apps(_ environments: Set<ServerEnvironment>) throws -> [AppIdentity] {
    [try RunningReceiver.derivedApp(environments)]
  }

  @Test("is fed in on reload, with the instant at which it first came") func reload() throws {
    let folder = TemporaryFolder()
    let clock = MovableClock(RunningReceiver.now)
    let anchors = [try RunningReceiver.derivedAnchor()]
    let receiver = try RunningReceiver(
      folder.path, apps: apps([.sandbox]), anchors: anchors, clock: clock.clock)
    let production = try ReceivedToken.derived("n44-production-to-sandbox").token()
    #expect(try receiver.post(production).status == 200)
    clock.move(to: Self.later)
    #expect(try receiver.post(production).status == 200)
    #expect(try receiver.post(ReceivedToken.derived("n41-wrong-bundle").token()).status == 200)
    #expect(try receiver.post(ReceivedToken.derived("n56-consumption-without-transaction").token()).status == 200)

    try receiver.reload(apps: apps([.sandbox, .production]), anchors: anchors)
    let event = try #require(try receiver.events().first)
    #expect(event.occurredAt == RunningReceiver.now)
    let received = try NotificationReceived(view: JSONDocument(bytes: try #require(event.data)).root)
    #expect(received.firstReceivedAt == RunningReceiver.now)
    #expect(event.environment == "Production")
    #expect(try receiver.events().count == 1)
    #expect(Set(try receiver.parked().map(\.reason)) == [.bundleId, .shape], "what does not fit stays")
    let line = try #require(receiver.lines(with: "parked notifications fed in").first)
    #expect(line.contains(#""fed":1"#))
    #expect(line.contains(#""staying":1"#))

    #expect(try receiver.post(production).status == 200, "it is known now")
    #expect(try receiver.events().count == 1)
    #expect(try receiver.parked().count == 2)
    try eventually { try receiver.metric("refundlog_parked_notifications") == "2" }
  }

  @Test("is fed in at the start, in the order in which it came") func start() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let foreign = try AppIdentity(bundleId: "com.example.second", appAppleId: nil, environments: [.sandbox])
    let before = try RunningReceiver(folder.path, apps: [foreign], anchors: [store.anchor])
    for number in 1...250 {
      let token = store.sign(
        store.notification(
          uuid: store.uuid(number), transaction: SignedStore.transaction { $0["transactionId"] = .string("\(number)") })
      )
      #expect(try before.post(token).status == 200)
    }
    before.stop()
    #expect(try before.events().isEmpty)

    let after = try RunningReceiver(
      folder.path, apps: [foreign, SignedStore.app], anchors: [store.anchor], clock: .fixed(Self.later))
    let events = try after.events()
    #expect(events.map(\.stream.text) == (1...250).map { "purchase/Sandbox/\($0)" })
    #expect(events.allSatisfy { $0.occurredAt == RunningReceiver.now })
    #expect(try after.parked().isEmpty)
    #expect(after.lines(with: #""fed":250"#).count == 1)
  }

  @Test("is one event where a crash came between the log and letting go") func crash() throws {
    let folder = TemporaryFolder()
    let copy = TemporaryFolder()
    let anchors = [try RunningReceiver.derivedAnchor()]
    let name = ReceiverStateSchema.fileName
    do {
      let receiver = try RunningReceiver(folder.path, apps: apps([.sandbox]), anchors: anchors)
      #expect(try receiver.post(ReceivedToken.derived("n44-production-to-sandbox").token()).status == 200)
      receiver.stop()
    }
    func copyState(from: String, to: String) throws {
      for end in ["", "-wal"] {
        let source = "\(from)/\(name)\(end)"
        guard access(source, F_OK) == 0 else {
          unlink("\(to)/\(name)\(end)")
          continue
        }
        try Files.write(Files.read(source, bytesMax: 16 << 20), to: "\(to)/\(name)\(end)")
      }
      unlink("\(to)/\(name)-shm")
    }
    try copyState(from: folder.path, to: copy.path)
    do {
      let receiver = try RunningReceiver(folder.path, apps: apps([.production, .sandbox]), anchors: anchors)
      #expect(try receiver.events().count == 1)
      #expect(try receiver.parked().isEmpty)
      receiver.stop()
    }
    // As if the process had ended before the second of the two steps.
    try copyState(from: copy.path, to: folder.path)
    let receiver = try RunningReceiver(
      folder.path, apps: apps([.production, .sandbox]), anchors: anchors, clock: .fixed(Self.later))
    let events = try receiver.events()
    #expect(events.count == 1)
    #expect(events.first?.occurredAt == RunningReceiver.now)
    #expect(try receiver.parked().isEmpty)
    #expect(receiver.lines(with: "parked notifications fed in").first?.contains(#""known":1"#) == true)
  }

  @Test("stays where the log does not take it, and is fed in later") func logClosed() throws {
    let folder = TemporaryFolder()
    let anchors = [try RunningReceiver.derivedAnchor()]
    let token = try ReceivedToken.derived("n44-production-to-sandbox").token()
    do {
      let receiver = try RunningReceiver(folder.path, apps: apps([.sandbox]), anchors: anchors)
      #expect(try receiver.post(token).status == 200)
    }
    let log = try LocalEventLog.open(folder.path, clock: .fixed(Self.later))
    log.close()
    let setup = ReceiverSetup(apps: try apps([.production]), verifier: SignedDataVerifier(anchors: anchors))
    let state = StateWriter(
      try StateStore(
        folder: folder.path, parking: ParkingUsage(limits: ParkingLimits(), configured: setup.bundles),
        quarantine: QuarantineLimits()), clock: .fixed(Self.later))
    defer { state.close() }
    let lines = Lines()
    let feed = ParkedFeed(
      folder: folder.path, log: log, state: state,
      logger: Logger(format: .json, clock: .fixed(Self.later)) { lines.add($0) })
    var progress = ParkedFeed.Progress()
    #expect(feed.feed(setup, from: &progress) == ParkedFeed.Result(failed: 1))
    #expect(lines.all.contains { $0.contains("it stays parked") })
    #expect(try ReceiverState(folder: folder.path).parkedCount() == 1)

    let open = try LocalEventLog.open(folder.path, clock: .fixed(Self.later))
    defer { open.close() }
    #expect(
      ParkedFeed(folder: folder.path, log: open, state: state, logger: feed.logger).feed(setup, from: &progress)
        == ParkedFeed.Result(fed: 1))
    #expect(try ReceiverState(folder: folder.path).parkedCount() == 0)
  }

  @Test("stays with the reason of now where something else is wrong, or its root is trusted no more") func stays()
    throws
  {
    let folder = TemporaryFolder()
    let anchors = [try RunningReceiver.derivedAnchor()]
    let receiver = try RunningReceiver(folder.path, apps: [SignedStore.app], anchors: anchors)
    #expect(try receiver.post(ReceivedToken.derived("n44-production-to-sandbox").token()).status == 200)
    #expect(try receiver.parked().map(\.reason) == [.bundleId])
    try receiver.reload(apps: apps([.sandbox]), anchors: anchors)
    let parked = try #require(try receiver.parked().first)
    #expect(parked.reason == .environment)
    #expect(parked.detail.contains("configured is Sandbox"))
    #expect(parked.deliveries == 1)
    try receiver.reload(apps: apps([.sandbox, .production]), anchors: [.appleRootCAG3()])
    #expect(try receiver.parked() == [parked])
    #expect(try receiver.events().isEmpty)
    try receiver.reload(apps: apps([.sandbox, .production]), anchors: anchors)
    #expect(try receiver.parked().isEmpty)
    #expect(try receiver.events().count == 1)
  }

  @Test("makes room again for its bundle") func roomAgain() throws {
    let folder = TemporaryFolder()
    let anchors = [try RunningReceiver.derivedAnchor()]
    let receiver = try RunningReceiver(folder.path, apps: apps([.sandbox]), anchors: anchors) {
      $0.parking.perApp.count = 1
    }
    let shape = try ReceivedToken.derived("n56-consumption-without-transaction").token()
    #expect(try receiver.post(ReceivedToken.derived("n44-production-to-sandbox").token()).status == 200)
    #expect(try receiver.post(shape).status == 503)
    try receiver.reload(apps: apps([.sandbox, .production]), anchors: anchors) { $0.parking.perApp.count = 1 }
    #expect(try receiver.post(shape).status == 200)
  }

  @Test("judges by new roots and apps without a restart, and tells what needs one") func newSettings() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let receiver = try RunningReceiver(
      folder.path, apps: [], anchors: [RunningReceiver.derivedAnchor()])
    #expect(receiver.lines(with: "no app is set up").count == 1)
    let token = store.sign(store.notification())
    #expect(try receiver.post(token).problem == "chain-not-trusted")
    try receiver.reload(apps: [SignedStore.app], anchors: [store.anchor]) {
      $0.server.port = 9
      $0.path = "/elsewhere"
    }
    #expect(try receiver.post(token).status == 200)
    let warning = try #require(receiver.lines(with: "take effect at the next start only").first)
    #expect(warning.contains("receiver.path, receiver.port"))
    #expect(!warning.contains("threads"))
    #expect(try receiver.events().count == 1)

    try receiver.reload(apps: [], anchors: [store.anchor])
    let next = store.sign(store.notification(uuid: store.uuid(2)))
    #expect(try receiver.post(next).status == 200)
    #expect(try receiver.parked().count == 1, "an app that was taken out is one that is not set up")
  }
}

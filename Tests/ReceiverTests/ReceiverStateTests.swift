import AppStore
import EventLog
import Glibc
import HTTPTypes
import SQLite
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("The receiver's state") struct ReceiverStateTests {
  private func path(_ folder: borrowing TemporaryFolder) -> String {
    "\(folder.path)/\(ReceiverStateSchema.fileName)"
  }

  @Test("is not there before a receiver has run") func absent() throws {
    let folder = TemporaryFolder()
    #expect(throws: ReceiverStateError.absent(path: path(folder))) { try ReceiverState(folder: folder.path) }
  }

  @Test("of a newer release is refused, by readers and at the start, and named") func newer() throws {
    let folder = TemporaryFolder()
    // A state stands beside a log; alone it is what is left of one.
    try LocalEventLog.open(folder.path, clock: .system).close()
    try SQLiteConnection(path: path(folder), mode: .create).execute("PRAGMA user_version = 99")
    let expected = ReceiverStateError.newer(path: path(folder), found: 99, supported: ReceiverStateSchema.version)
    #expect(throws: expected) { try ReceiverState(folder: folder.path) }
    do {
      _ = try RunningReceiver.derived(folder.path)
      Issue.record("it started")
    } catch let error as StartError {
      #expect(error.code == .unavailable)
      #expect(error.description.contains(path(folder)))
      #expect(error.description.contains("newer release"))
    }
  }

  @Test("that is damaged stops the start, named, and is left as it is") func damaged() throws {
    let folder = TemporaryFolder()
    let bytes = [UInt8](repeating: 0x5A, count: 8_192)
    try Files.write(bytes, to: path(folder))
    do {
      _ = try RunningReceiver.derived(folder.path)
      Issue.record("it started")
    } catch let error as StartError {
      #expect(error.code == .damage)
      #expect(error.description.contains(path(folder)))
    }
    #expect(try Files.read(path(folder), bytesMax: 10_000) == bytes)
  }

  @Test("is read page by page beside the running receiver") func pages() throws {
    let folder = TemporaryFolder()
    let store = SignedStore()
    let receiver = try RunningReceiver(folder.path, apps: [], anchors: [store.anchor])
    for number in 1...7 {
      let bundle = number < 5 ? "com.example.one" : "com.example.two"
      let token = store.sign(
        store.notification(type: "SUBSCRIBED", uuid: store.uuid(number), bundleID: bundle, transaction: nil))
      #expect(try receiver.post(token).status == 200)
    }
    let state = try ReceiverState(folder: folder.path)
    let first = try state.parked(limit: 3)
    let second = try state.parked(after: try #require(first.last?.id), limit: 3)
    #expect((first + second).map(\.notificationUUID) == (1...6).map { store.uuid($0) })
    #expect(try state.parked(bundleIDs: ["com.example.two"]).count == 3)
    #expect(try state.parked(bundleIDs: []).isEmpty)
    #expect(try state.parkedCount() == 7)
  }

  @Test("counts the room that another process has taken") func twoWriters() throws {
    let folder = TemporaryFolder()
    var limits = ParkingLimits()
    limits.perForeignBundle.count = 3
    let usage = ParkingUsage(limits: limits, configured: [])
    let stores = try (0..<2).map { _ in
      try StateStore(folder: folder.path, parking: usage, quarantine: QuarantineLimits())
    }
    func parked(_ number: Int) -> ParkedNotification {
      ParkedNotification(
        bundleID: "a.b", environment: "Sandbox", notificationUUID: "\(number)", reason: .bundleId, detail: "",
        firstReceivedAt: 1, lastReceivedAt: 1, token: [1, 2, 3])
    }
    let outcomes = try (0..<6).flatMap { try stores[$0 % 2].park([parked($0)]) }
    #expect(outcomes.prefix(3) == [.parked(inAll: 1), .parked(inAll: 2), .parked(inAll: 3)])
    for outcome in outcomes.suffix(3) {
      guard case .full = outcome else {
        Issue.record("\(outcome)")
        continue
      }
    }
  }

  @Test("that was closed keeps nothing more and says so") func closed() throws {
    let folder = TemporaryFolder()
    let writer = StateWriter(
      try StateStore(
        folder: folder.path, parking: ParkingUsage(limits: ParkingLimits(), configured: []),
        quarantine: QuarantineLimits()), clock: .fixed(1))
    writer.close()
    let outcome = Monitor<ParkingOutcome?>(nil)
    writer.park(
      ParkedNotification(reason: .shape, detail: "", firstReceivedAt: 1, lastReceivedAt: 1, token: [1])
    ) { given in outcome.change { $0 = given } }
    #expect(outcome.wait { $0 } == .failed(reason: "the state is closed"))
    #expect(throws: ReceiverStateError.self) { try writer.settle(ParkedSettlement(inLog: [1])) }
  }
}

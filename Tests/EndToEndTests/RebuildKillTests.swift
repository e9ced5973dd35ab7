import Contracts
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service
import Synchronization
import TestSupport
import Testing

@testable import Operations

/// Promise 9, by real programs: the projection is made anew beside a responder that serves, while events arrive and
/// while whoever makes it is killed.
@Suite("A projection that is made anew beside a running responder", .serialized)
struct RebuildKillTests {
  private static let bundleID = Installation.bundleID

  /// A notification about one of the purchases; every third purchase has a case.
  static func draft(_ number: Int, of purchases: Int, at instant: Int64) throws -> EventDraft {
    let purchase = number % purchases
    let key = try PurchaseKey(environment: "Production", transactionID: "\(200_000 + purchase)")
    let isRequest = purchase % 3 == 0 && number / purchases % 2 == 1
    let type = isRequest ? "CONSUMPTION_REQUEST" : "DID_RENEW"
    let digits = String(number)
    let uuid = "5a000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
    let payload: JSONValue = [
      "notificationType": .string(type), "notificationUUID": .string(uuid),
      "data": [
        "bundleId": .string(bundleID), "environment": "Production",
        "signedTransactionInfo": [
          "transactionId": .string(key.transactionID), "originalTransactionId": .string(key.transactionID),
          "bundleId": .string(bundleID), "productId": "gems", "type": "Consumable", "quantity": 1,
          "inAppOwnershipType": "PURCHASED", "environment": "Production", "signedDate": .number(JSONNumber(instant)),
        ],
      ],
      "version": "2.0", "signedDate": .number(JSONNumber(instant)),
    ]
    return EventDraft(
      id: EventID(EventIDs.notification(uuid)), stream: StreamName(key.stream), type: "NotificationReceived",
      kind: type,
      environment: "Production", app: bundleID, occurredAt: instant, signedAt: instant,
      data: NotificationReceived.data(
        bundleID: bundleID, environment: "Production", firstReceivedAt: instant, notification: payload.bytes(),
        via: .push
      ).bytes)
  }

  /// Asks the API for cases until told to stop.
  private final class Poller: Sendable {
    let asked = Atomic(0)
    let faults = Monitor<[String]>([])
    private let stopping = Atomic(false)
    private let thread = Monitor<OwnedThread?>(nil)

    func start(_ port: UInt16) {
      let started = OwnedThread(name: "poller") { [self] in
        let client = HTTPClient()
        while !stopping.load(ordering: .acquiring) {
          do {
            let response = try client.send(
              HTTPClientRequest(
                .get, HTTPURL("http://127.0.0.1:\(port)/v1/cases?limit=3"),
                fields: ["Authorization": "Bearer 0123456789abcdef"]))
            let found = try JSONValue(bytes: response.body)["cases"]?.array?.count
            if response.status != 200 || found != 3 {
              faults.change { $0.append("\(response.status) \(String(decoding: response.body, as: UTF8.self))") }
            }
          } catch { faults.change { $0.append("\(error)") } }
          asked.add(1, ordering: .relaxed)
          usleep(1_000)
        }
      }
      thread.change { $0 = started }
    }

    func stop() {
      stopping.store(true, ordering: .releasing)
      thread.withLock { $0 }?.join()
    }
  }

  @Test(
    "serves all the time, whoever is killed in between, and ends with the rows of a cold one", .timeLimit(.minutes(5)))
  func killed() throws {
    let seed = Effort.seed()
    print("RebuildKillTests with REFUNDLOG_SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    let folder = TemporaryFolder()
    let ports = Installation.quietPorts(2)
    // Nobody listens there: nothing has what an answer needs, so nothing is sent.
    var installation = try Installation(in: folder.path, production: ports[0], sandbox: ports[1])
    let count = Effort.pick(3_000, long: 60_000)
    let log = try LocalEventLog.open(installation.data, clock: .system)
    for start in stride(from: 0, to: count, by: 500) {
      let now = WallClock.system.now()
      _ = try log.append(
        try (start..<min(count, start + 500)).map { try Self.draft($0, of: count / 5, at: now - 1_000_000) })
    }
    let responder = try installation.program("refund-responder")
    try responder.startAndWait()
    defer { responder.stop() }
    let projected = Projected(data: installation.data)
    try wait("the responder has read everything") { try projected.position() == log.head().position }

    let poller = Poller()
    poller.start(installation.ports.responder)
    let appended = Atomic(0)
    let stopping = Atomic(false)
    let appender = OwnedThread(name: "appender") {
      while !stopping.load(ordering: .acquiring) {
        let number = count + appended.add(1, ordering: .relaxed).oldValue
        let draft = try! Self.draft(number, of: count / 5, at: WallClock.system.now() - 1_000_000)
        _ = try! log.append([draft])
        usleep(4_000)
      }
    }
    var kills = 0
    var resumed = 0
    for round in 0..<Effort.pick(3, long: 12) {
      // Killed a few times, then let through; the long form also takes the projection away beside the responder.
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let rebuild = try ChildProcess(
          "refundlog", in: Programs.folder, arguments: ["rebuild", "--data", installation.data],
          output: "\(folder.path)/rebuild.log")
        usleep(UInt32.random(in: 5_000...Effort.pick(250_000, long: 3_000_000), using: &random))
        if rebuild.isRunning {
          kill(rebuild.id, SIGKILL)
          kills += 1
        }
        while rebuild.isRunning { usleep(500) }
      }
      let before = FileIdentity(projected)
      let (code, printed) = try run(
        "\(Programs.folder)/refundlog", ["rebuild", "--data", installation.data, "--json"])
      let report = try #require(printed.split(separator: "\n").last.map { try JSONValue(bytes: Array($0.utf8)) })
      #expect(code == 0, "round \(round): \(printed)")
      #expect(report["events"]?.int64 ?? 0 >= Int64(count))
      if report["resumed"]?.bool == true { resumed += 1 }
      #expect(FileIdentity(projected) != before, "another file is there now")
    }
    stopping.store(true, ordering: .releasing)
    appender.join()
    try wait("the responder goes on from the new one") { try projected.position() == log.head().position }
    poller.stop()
    #expect(poller.faults.withLock { Array($0.prefix(3)) } == [])
    #expect(poller.asked.load(ordering: .relaxed) > 20)
    print("\(kills) kills, \(resumed) went on, \(poller.asked.load(ordering: .relaxed)) calls answered meanwhile")
    #expect(kills > 0)
    responder.stop()
    let rows = try projected.rows()
    #expect(rows.count > count / 16)
    Projected.remove(from: installation.data)
    let (code, printed) = try run("\(Programs.folder)/refundlog", ["rebuild", "--data", installation.data])
    #expect(code == 0, "\(printed)")
    #expect(try projected.rows() == rows)
    log.close()
  }

  @Test("and is made again by itself where somebody takes it away beside a running responder") func removed() throws {
    let folder = TemporaryFolder()
    let ports = Installation.quietPorts(2)
    var installation = try Installation(in: folder.path, production: ports[0], sandbox: ports[1])
    let log = try LocalEventLog.open(installation.data, clock: .system)
    for number in 0..<60 { _ = try log.append([Self.draft(number, of: 20, at: WallClock.system.now() - 1_000_000)]) }
    let responder = try installation.program("refund-responder")
    try responder.startAndWait()
    defer { responder.stop() }
    let projected = Projected(data: installation.data)
    try wait("the responder has read everything") { try projected.position() == log.head().position }
    Projected.remove(from: installation.data)
    try wait("it is there again") { (try? projected.position()) == (try log.head().position) }
    let response = try HTTPClient().send(
      HTTPClientRequest(
        .get, HTTPURL("http://127.0.0.1:\(installation.ports.responder)/v1/cases?limit=3"),
        fields: ["Authorization": "Bearer 0123456789abcdef"]))
    #expect(response.status == 200)
    log.close()
  }

  private struct FileIdentity: Equatable {
    let inode: UInt64?
    init(_ projected: Projected) {
      var status = stat()
      let paths = Projected.files(in: projected.data).filter { $0.hasSuffix(".sqlite") }.sorted { $0.count < $1.count }
      inode = paths.first.flatMap { stat($0, &status) == 0 ? UInt64(status.st_ino) : nil }
    }
  }

  private func wait(_ what: String, _ holds: () throws -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + 60_000
    while (try? holds()) != true {
      try #require(MonotonicClock.milliseconds() < deadline, "\(what): not within a minute")
      usleep(20_000)
    }
  }
}

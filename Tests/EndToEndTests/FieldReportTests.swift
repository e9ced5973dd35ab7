import EventLog
import HTTPClient
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// Faults that others had in the field, tried here with the real programs.
@Suite("A fault seen in the field", .serialized)
struct FieldReportTests {
  private static let hour: Int64 = 3_600_000
  private static let day = 24 * hour

  /// Two App Stores, a receiver and a responder over one folder.
  private final class Stage {
    let production = WatchedAppStore()
    let sandbox = WatchedAppStore()
    private(set) var installation: Installation
    let responder: KillableProgram
    private(set) var receivers: [KillableProgram] = []

    init(in folder: String, app: JSONObject = Installation.apps) throws {
      installation = try Installation(in: folder, app: app, production: production.port, sandbox: sandbox.port)
      receivers.append(try installation.program("refund-receiver"))
      responder = try installation.program("refund-responder")
      try receivers[0].startAndWait()
      try responder.startAndWait()
    }

    /// Another receiver over the same log.
    func addReceiver(port: UInt16) throws {
      let receiver = try installation.further("refund-receiver", at: port)
      receivers.append(receiver)
      try receiver.startAndWait()
    }

    func stop() {
      for program in [responder] + receivers { program.stop() }
      production.stop()
      sandbox.stop()
    }

    func notices(_ environment: String) -> SignedNotices {
      SignedNotices(store: installation.store, environment: environment)
    }

    /// What the responder measures.
    func metrics() throws -> String {
      let url = try HTTPURL("http://127.0.0.1:\(installation.ports.responder)/metrics")
      return String(decoding: try HTTPClient().send(HTTPClientRequest(.get, url)).body, as: UTF8.self)
    }

    func log() throws -> LocalEventLog { try LocalEventLog.reading(installation.data) }
    var projected: Projected { Projected(data: installation.data) }
  }

  private static func events(_ type: String, in log: LocalEventLog) throws -> [JSONValue] {
    try log.read(after: .start, limit: 1_000).filter { $0.type == type }.map { try JSONValue(bytes: $0.data ?? []) }
  }

  /// Report 6.
  @Test("a reversal after a refund changes the outcome, and the earlier ones stay on record", .timeLimit(.minutes(5)))
  func reversal() throws {
    let folder = TemporaryFolder()
    let stage = try Stage(in: folder.path)
    defer { stage.stop() }
    let now = WallClock.system.now()
    let notices = stage.notices("Sandbox")
    for (number, type) in ["CONSUMPTION_REQUEST", "REFUND", "REFUND_REVERSED"].enumerated() {
      let signedAt = now + Int64(number) * 1_000
      let transaction = notices.transaction("2000000000000006", signedAt: signedAt) {
        if type == "REFUND" { $0["revocationDate"] = .number(JSONNumber(signedAt)) }
      }
      let token = notices.token(type, uuid: SignedNotices.uuid(6, number), signedAt: signedAt, transaction)
      #expect(try stage.installation.post(token) == 200, "\(type)")
      try stage.projected.waitUntilAtRest(stage.log())
    }
    #expect(try stage.projected.cases().map(\.outcome) == ["reversed"])
    #expect(try Self.events("Outcome", in: stage.log()).map { $0["kind"]?.string } == ["refunded", "reversed"])
    #expect(stage.sandbox.calls.count == 1)
  }

  /// Report 7.
  @Test(
    "a request for an app that is not to be answered is acknowledged, kept, and nothing is sent",
    .timeLimit(.minutes(5)), arguments: ["key", "consentBasis", "products"])
  func notAnswered(missing: String) throws {
    let folder = TemporaryFolder()
    var app = Installation.apps
    app[missing] = missing == "key" ? .null : nil
    let stage = try Stage(in: folder.path, app: app)
    defer { stage.stop() }
    let notices = stage.notices("Sandbox")
    let now = WallClock.system.now()
    let token = notices.token(
      "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(7, 1), signedAt: now,
      notices.transaction("2000000000000007", signedAt: now))
    #expect(try stage.installation.post(token) == 200)
    try stage.projected.waitUntilAtRest(stage.log(), open: 1)
    let log = try stage.log()
    #expect(try Self.events("NotificationReceived", in: log).count == 1)
    #expect(try log.read(after: .start, limit: 100).allSatisfy { !$0.type.hasPrefix("Consumption") })
    #expect(stage.sandbox.calls.isEmpty && stage.production.calls.isEmpty)
  }

  /// Report 10: production, where Apple waits for twelve hours.
  @Test(
    "a request that arrives late is due by the instant it was signed, and told late only past that",
    .timeLimit(.minutes(5)),
    arguments: [
      (signedAgo: 11 * hour + hour / 2, isLate: false), (signedAgo: 13 * hour, isLate: true),
      (signedAgo: 7 * day - hour, isLate: true),
    ])
  func late(signedAgo: Int64, isLate: Bool) throws {
    let folder = TemporaryFolder()
    // Without a key first, so that the open case can be looked at.
    var app = Installation.apps
    app["key"] = .null
    let signedAt = WallClock.system.now() - signedAgo
    do {
      let stage = try Stage(in: folder.path, app: app)
      defer { stage.stop() }
      let notices = stage.notices("Production")
      let token = notices.token(
        "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(10, 1), signedAt: signedAt,
        notices.transaction("2000000000000010", signedAt: signedAt))
      #expect(try stage.installation.post(token) == 200)
      try stage.projected.waitUntilAtRest(stage.log(), open: 1)
      // Twelve hours less ten minutes from the signature, not from the receipt.
      #expect(try stage.projected.cases().map(\.due) == [signedAt + 12 * Self.hour - 600_000])
    }
    let stage = try Stage(in: folder.path)
    defer { stage.stop() }
    try stage.projected.waitUntilAtRest(stage.log())
    let claims = try Self.events("ConsumptionPrepared", in: stage.log())
    #expect(claims.map { $0["late"]?.bool } == [isLate])
    #expect(stage.production.calls.map(\.transactionID) == ["2000000000000010"])
    let reason = try #require(try Self.events("NotificationReceived", in: stage.log()).first)
    #expect(reason["notification"]?["data"]?["consumptionRequestReason"]?.string == "UNINTENDED_PURCHASE")
  }

  /// Report 10, past the window.
  @Test("a request that was signed over a week ago is withheld as expired", .timeLimit(.minutes(5)))
  func stale() throws {
    let folder = TemporaryFolder()
    let stage = try Stage(in: folder.path)
    defer { stage.stop() }
    let signedAt = WallClock.system.now() - 7 * Self.day - 1_000
    let notices = stage.notices("Production")
    let token = notices.token(
      "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(10, 2), signedAt: signedAt,
      notices.transaction("2000000000000010", signedAt: signedAt))
    #expect(try stage.installation.post(token) == 200)
    try stage.projected.waitUntilAtRest(stage.log())
    #expect(try Self.events("ConsumptionWithheld", in: stage.log()).map { $0["reason"]?.string } == ["expired"])
    #expect(stage.production.calls.isEmpty && stage.sandbox.calls.isEmpty)
  }

  /// Reports 18 and 19.
  @Test(
    "copies of one sandbox body that reach two receivers of one log at once are one event and one call, never to production",
    .timeLimit(.minutes(5)), arguments: [2, 10, 100])
  func copies(count: Int) throws {
    let folder = TemporaryFolder()
    let stage = try Stage(in: folder.path)
    defer { stage.stop() }
    let second = Installation.quietPorts(1)[0]
    try stage.addReceiver(port: second)
    let notices = stage.notices("Sandbox")
    let now = WallClock.system.now()
    let token = notices.token(
      "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(18, count), signedAt: now,
      notices.transaction("2000000000000018", signedAt: now))
    let statuses = Monitor([Int]())
    let gate = Monitor(0)
    let installation = stage.installation
    let threads = (0..<count).map { number in
      OwnedThread(name: "copy") {
        // All of them leave together.
        gate.change { $0 += 1 }
        _ = gate.wait { $0 == count ? true : nil }
        let status = try? installation.post(token, to: number.isMultiple(of: 2) ? nil : second)
        statuses.change { $0.append(status ?? 0) }
      }
    }
    for thread in threads { thread.join() }
    #expect(statuses.withLock { $0 } == Array(repeating: 200, count: count))
    try stage.projected.waitUntilAtRest(stage.log())
    let log = try stage.log()
    #expect(try Self.events("NotificationReceived", in: log).count == 1)
    #expect(try Self.events("ConsumptionPrepared", in: log).count == 1)
    #expect(stage.sandbox.calls.count == 1)
    #expect(stage.production.calls.isEmpty)
  }

  /// Report 19, both ways: each environment's purchase goes to its own server.
  @Test("a purchase is answered at the server of its own environment", .timeLimit(.minutes(5)))
  func environments() throws {
    let folder = TemporaryFolder()
    let stage = try Stage(in: folder.path)
    defer { stage.stop() }
    let now = WallClock.system.now()
    for (number, environment) in ["Sandbox", "Production"].enumerated() {
      let notices = stage.notices(environment)
      let token = notices.token(
        "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(19, number), signedAt: now,
        notices.transaction("200000000000001\(number)", signedAt: now))
      #expect(try stage.installation.post(token) == 200)
    }
    try stage.projected.waitUntilAtRest(stage.log())
    #expect(stage.sandbox.calls.map(\.transactionID) == ["2000000000000010"])
    #expect(stage.production.calls.map(\.transactionID) == ["2000000000000011"])
  }

  /// Report 43.
  @Test(
    "a refund that nobody asked about is kept out of the figures of answers, and tagged where an upgrade is visible",
    .timeLimit(.minutes(5)))
  func withoutRequest() throws {
    let folder = TemporaryFolder()
    let stage = try Stage(in: folder.path)
    defer { stage.stop() }
    let now = WallClock.system.now()
    let notices = stage.notices("Sandbox")
    for (number, isUpgraded) in [true, false].enumerated() {
      let signedAt = now + Int64(number)
      let transaction = notices.transaction("20000000000004\(30 + number)", signedAt: signedAt) {
        $0["type"] = "Auto-Renewable Subscription"
        $0["revocationDate"] = .number(JSONNumber(signedAt))
        $0["revocationType"] = "REFUND_PRORATED"
        $0["revocationPercentage"] = 30_000
        if isUpgraded { $0["isUpgraded"] = true }
      }
      let token = notices.token("REFUND", uuid: SignedNotices.uuid(43, number), signedAt: signedAt, transaction)
      #expect(try stage.installation.post(token) == 200)
    }
    try stage.projected.waitUntilAtRest(stage.log())
    #expect(stage.sandbox.calls.isEmpty)
    let outcomes = try Self.events("Outcome", in: stage.log())
    #expect(outcomes.allSatisfy { $0["request"] == nil } && outcomes.map { $0["upgraded"]?.bool } == [true, nil])
    let told = try (30...31).map { number in
      try run(
        "\(Programs.folder)/refundlog", ["case", "20000000000004\(number)", "--data", stage.installation.data])
    }.map { $0.output }
    #expect(told.allSatisfy { $0.contains("without a refund request: Apple did not ask") })
    #expect(told.map { $0.contains("after an upgrade to another plan") } == [true, false])
    let metrics = try stage.metrics()
    for told in ["upgrade", "unasked"] {
      #expect(metrics.contains("refundlog_outcomes_total{kind=\"refunded\",told=\"\(told)\"} 1"))
    }
    #expect(!metrics.contains("told=\"answer\"") && !metrics.contains("told=\"nothing\""))
  }

  /// Report 44.
  @Test(
    "renewal that was switched off right after a refund request is probably the App Store's act, and no cancellation",
    .timeLimit(.minutes(5)))
  func renewalSwitchedOff() throws {
    let folder = TemporaryFolder()
    let stage = try Stage(in: folder.path)
    defer { stage.stop() }
    let now = WallClock.system.now()
    let notices = stage.notices("Sandbox")
    let story: [(type: String, subtype: String?, after: Int64)] = [
      ("CONSUMPTION_REQUEST", nil, 0), ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", 30_000),
      ("REFUND_DECLINED", nil, 90_000), ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", 2 * Self.hour),
      ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", 3 * Self.hour),
    ]
    for (number, told) in story.enumerated() {
      let signedAt = now - 4 * Self.hour + told.after
      let transaction = notices.transaction("2000000000000044", signedAt: signedAt) {
        $0["type"] = "Auto-Renewable Subscription"
      }
      let token = notices.token(
        told.type, subtype: told.subtype, uuid: SignedNotices.uuid(44, number), signedAt: signedAt, transaction)
      #expect(try stage.installation.post(token) == 200)
    }
    try stage.projected.waitUntilAtRest(stage.log())
    let (code, output) = try run(
      "\(Programs.folder)/refundlog", ["case", "2000000000000044", "--data", stage.installation.data, "--json"])
    #expect(code == 0)
    let page = try JSONValue(bytes: Array(output.utf8))
    #expect(page["summary"]?["outcome"] == "declined")
    #expect(page["renewals"]?.array?.map { $0["on"]?.bool } == [false, true, false])
    #expect(page["renewals"]?.array?.map { $0["probablyOfAppStore"]?.bool } == [true, false, false])
    #expect(page["cancellations"] == 1, "only the one of hours later is the customer's own")
    let text = try run(
      "\(Programs.folder)/refundlog", ["case", "2000000000000044", "--data", stage.installation.data]
    ).output
    #expect(text.contains("renewal was switched off, probably by the App Store because of the refund request on"))
    #expect(text.contains("The customer cancelled once."))
  }

  /// Report 31.
  @Test("a renewal is answered by its own transaction id, not by that of the first purchase", .timeLimit(.minutes(5)))
  func renewal() throws {
    let folder = TemporaryFolder()
    let stage = try Stage(in: folder.path)
    defer { stage.stop() }
    let now = WallClock.system.now()
    let notices = stage.notices("Production")
    let token = notices.token(
      "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(31, 1), signedAt: now,
      notices.transaction("2000000000000315", signedAt: now) {
        $0["originalTransactionId"] = "2000000000000310"
        $0["type"] = "Auto-Renewable Subscription"
        $0["productId"] = "com.example.pro.monthly"
        $0["transactionReason"] = "RENEWAL"
      })
    #expect(try stage.installation.post(token) == 200)
    try stage.projected.waitUntilAtRest(stage.log())
    #expect(stage.production.calls.map(\.path) == ["/inApps/v2/transactions/consumption/2000000000000315"])
    #expect(try stage.projected.cases().map(\.transactionID) == ["2000000000000315"])
  }
}

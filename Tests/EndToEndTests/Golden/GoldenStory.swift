import AppStore
import AppStoreSimulator
import Contracts
import Cryptography
import EventLog
import Glibc
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// Makes a small log with everything in it: the real programs live through it, and a writer adds what no program writes
/// yet, what only a later release will write, and what was erased.
final class GoldenStory {
  private static let account = "7e3fb204-2e31-4a3c-9c1d-5d3d3f0b9a11"
  private static let consentText = "May we tell Apple how much was used?\nYou can say no."
  private static let unwilling = "9f1c2a52-8f1e-4f0e-9c5c-2f3d1a7b6e10"

  private(set) var installation: Installation
  private let appStore: WatchedAppStore
  private let course: Monitor<WatchedAppStore.Course>
  private let receiver: KillableProgram
  private let responder: KillableProgram
  private let notices: SignedNotices
  private let start = WallClock.system.now()
  /// How far the services' clock is ahead of the machine's.
  private var ahead: Int64 = 0
  private var signed = 0

  init(in folder: String) throws {
    let course = Monitor(WatchedAppStore.Course.judged(afterMilliseconds: 0))
    self.course = course
    appStore = WatchedAppStore { course.withLock { $0 } }
    var installation = try Installation(in: folder, production: appStore.port, sandbox: appStore.port)
    receiver = try installation.program("refund-receiver")
    responder = try installation.program("refund-responder")
    notices = SignedNotices(store: installation.store, environment: "Production")
    self.installation = installation
  }

  /// Ends what still runs.
  func stop() {
    responder.kill()
    receiver.kill()
    appStore.stop()
  }

  /// What the services' clock shows.
  private var now: Int64 { WallClock.system.now() + ahead }

  /// Returns when everything is in the log and nothing runs.
  /// - Returns: an instant at which the log can be told.
  func live() throws -> Int64 {
    try writeWhatNoProgramWrites()
    try receiver.startAndWait()
    try responder.startAndWait()
    try speakAsBackend()
    try answers()
    try decisions()
    try endings()
    try people()
    try Self.expect(post("SUBSCRIBED", "19", change: { $0["type"] = "Auto-Renewable Subscription" }) == 200)
    try Self.expect(post("SOMETHING_OF_TOMORROW", "19") == 200)
    try Self.expect(postTest() == 200)
    try passHalfADay()
    try askAgain()
    let instant = now
    receiver.stop()
    try writeWhatALaterReleaseWrites()
    try erase()
    return instant
  }

  // MARK: By the programs

  private func speakAsBackend() throws {
    let app = Installation.bundleID
    let text: JSONValue = ["text": .string(Self.consentText)]
    try call("/v1/texts/\(app)/2026-01/en", text)
    try call("/v1/texts/\(app)/accepted", ["versions": ["2025-01", "2026-01"]])
    try call("/v1/consents", consent(Self.account, true))
    try call("/v1/consents", consent(Self.unwilling, false))
    try call("/v1/consents", consent("11111111-2222-4333-8444-555555555555", true))
    try call(
      "/v1/evidence/Production/1",
      ["bundleId": .string(app), "statedAt": instant(-9_000), "values": ["unitsGranted": 1000, "unitsUsed": 250]])
    try call("/v1/evidence/Production/20", ["bundleId": .string(app), "statedAt": instant(-9_000), "known": false])
    try call(
      "/v1/links/Production/11",
      ["bundleId": .string(app), "account": .string(Self.account), "statedAt": instant(-9_000)])
  }

  /// Answers that Apple takes, refuses, fails to take, and takes without our knowing.
  private func answers() throws {
    for id in ["1", "2", "3", "4"] { try ask(id, until: "sent/Production/\(id)/1") }
    try ask("6", course: .failed(status: 400), until: "failed/Production/6/1")
    try ask("7", course: .failed(status: 500), until: "failed/Production/7/1")
    try wait(for: "sent/Production/7/2")
    try ask("8", course: .replyLost(afterMilliseconds: 0), until: "unknown/Production/8/1")
    try ask("18", until: "sent/Production/18/1")
    // The inner token's string is written with a backslash: it is kept as it came.
    try Self.expect(post("REFUND", "18", isEscaped: true) == 200)
  }

  private func decisions() throws {
    try refund("1", "REFUND_FULL", percentage: nil)
    try refund("2", "REFUND_PRORATED", percentage: 40_000)
    try Self.expect(post("REFUND_DECLINED", "3") == 200)
    try refund("4", "REFUND_FULL", percentage: nil)
    try Self.expect(post("REFUND_REVERSED", "4") == 200)
    for id in ["1", "2", "3", "4"] { try wait { $0.contains { $0.hasPrefix("outcome/Production/\(id)/") } } }
    try wait { $0.count { $0.hasPrefix("outcome/Production/4/") } == 2 }
    try call(
      "/v1/access/Production/1",
      [
        "bundleId": .string(Installation.bundleID), "state": "ended", "statedAt": instant(0),
        "note": "coins taken back",
      ])
  }

  /// Requests that end without an answer.
  private func endings() throws {
    try ask("5", withheld: true) { $0["inAppOwnershipType"] = "FAMILY_SHARED" }
    try ask("20")
    try ask("21", signedBefore: 8 * 24 * 3_600_000, withheld: true)
    try ask("9") { $0["appAccountToken"] = nil }
    try ask("12") { $0["appAccountToken"] = .string(Self.unwilling) }
    try ask("10") { $0["appAccountToken"] = nil }
    try Self.expect(post("REFUND_DECLINED", "10", change: { $0["appAccountToken"] = nil }) == 200)
    try wait { $0.contains { $0.hasPrefix("outcome/Production/10/") } }
  }

  private func people() throws {
    // By the link that the back end stated before.
    try ask("11", until: "sent/Production/11/1") { $0["appAccountToken"] = nil }
    try review("11", ["act": "note", "note": "Called; is angry about the last update."])
    try review("11", ["act": "prefer", "refundPreference": "GRANT_FULL", "note": "A customer of many years."])
    try ask("9b") { $0["appAccountToken"] = nil }
    try review("9b", ["act": "hold", "note": "Ask the game's support first."])
    try review("9b", ["act": "release"])
  }

  /// The windows of all requests close.
  private func passHalfADay() throws {
    receiver.stop()
    responder.stop()
    ahead = 14 * 3_600_000
    installation.settings["clock"] = [
      "start": .number(JSONNumber(start + ahead)), "since": .number(JSONNumber(start)),
    ]
    try installation.write()
    try receiver.startAndWait()
    try responder.startAndWait()
    for id in ["9", "9b", "12", "20"] { try waitForEnd(of: id) }
  }

  /// One that waits for ever, one whose claim has no result yet, one more for a purchase that was asked about before.
  private func askAgain() throws {
    try ask("13") { $0["appAccountToken"] = nil }
    try ask("3", until: "sent/Production/3/2")
    try ask("14", course: .judged(afterMilliseconds: 5_000), until: "claim/Production/14/1")
    responder.kill()
  }

  // MARK: By hand

  private func writer() throws -> LocalEventLog {
    let ahead = ahead
    return try LocalEventLog.open(installation.data, clock: WallClock { WallClock.system.now() + ahead })
  }

  private func add(
    _ data: some EventData, id: String, to stream: String, app: String? = nil, customer: String? = nil,
    _ log: LocalEventLog
  ) throws {
    let type = Swift.type(of: data).type
    try add(
      EventDraft(
        id: EventID(id), stream: StreamName(stream), type: type.rawValue, schema: type.schema, app: app,
        customer: customer, occurredAt: now, data: data.encoded()), log)
  }

  private func add(_ draft: EventDraft, _ log: LocalEventLog) throws {
    guard case .recorded(let recordings) = try log.append([draft]), case .appended = recordings[0] else {
      throw CommandError(.failure, "\(draft.id) was not appended")
    }
  }

  private func writeWhatNoProgramWrites() throws {
    let log = try writer()
    defer { log.close() }
    let app = Installation.bundleID
    let customer = log.keyedDigest([Array(app.utf8), Array(Self.unwilling.utf8)])
    try add(
      LogRestored(backupAt: now - 60_000, head: 0, by: "operator:mika", additional: ["backup": "nightly"]),
      id: "restored/1",
      to: "log", log)
    try add(SendingResumed(by: "operator:mika", note: "checked by hand"), id: "resumed/1", to: "log", log)
    try add(
      CertificateRevoked(digest: String(repeating: "4c", count: 32), since: now - 60_000), id: "revoked/1", to: "log",
      log)
    try add(
      AlarmRaised(alarm: "silence.DID_RENEW", text: "No DID_RENEW for a day", advice: "Look at the reverse proxy"),
      id: "alarm/1", to: "alarm/silence.DID_RENEW", log)
    try add(AlarmCleared(alarm: "silence.DID_RENEW"), id: "alarm/2", to: "alarm/silence.DID_RENEW", log)
    try add(
      OutageDeclared(
        bundleID: app, from: now - 90_000_000, to: now - 86_000_000, products: ["*"],
        effect: OutageEffectWord("NOTE_ONLY")), id: "outage/app/\(app)/1", to: "app/\(app)", app: app, log)
    try add(
      CustomerPreferenceSet(
        bundleID: app, account: Self.unwilling, refundPreference: RefundPreferenceWord("GRANT_FULL"),
        by: "support:ren"), id: "preference/customer/\(customer)/1", to: "customer/\(customer)", app: app,
      customer: customer, log)
  }

  private func writeWhatALaterReleaseWrites() throws {
    let log = try writer()
    defer { log.close() }
    for (number, stream) in ["purchase/Production/1", "app/\(Installation.bundleID)", "seats/7"].enumerated() {
      try add(
        EventDraft(
          id: EventID("seats/\(number)"), stream: StreamName(stream), type: "SeatsReturned", schema: 3,
          occurredAt: now, data: Array(#"{"a":[1.50e3,12345678901234567890],"unit":"\u00e9\/","z":null}"#.utf8)), log)
    }
    try add(
      EventDraft(
        id: EventID("evidence/purchase/Production/2/99"), stream: StreamName("purchase/Production/2"),
        type: "EvidenceRecorded", schema: 99, app: Installation.bundleID, occurredAt: now,
        data: Array(#"{"facts":{"delivered":true}}"#.utf8)), log)
    var members = try #require(
      JSONValue(bytes: AlarmCleared(alarm: "silence.TEST").encoded()).object)
    members["zone"] = ["depth": .number(JSONNumber("2.50E-3")!)]
    try add(
      EventDraft(
        id: EventID("alarm/3"), stream: StreamName("alarm/silence.TEST"), type: "AlarmCleared", occurredAt: now,
        data: JSONValue.object(members).bytes(sortedKeys: true)), log)
  }

  /// What Apple said of a subscription, and the consent of somebody who never asked for anything.
  private func erase() throws {
    let log = try writer()
    defer { log.close() }
    let stranger = log.keyedDigest(
      [Array(Installation.bundleID.utf8), Array("11111111-2222-4333-8444-555555555555".utf8)])
    let events = try log.read(stream: StreamName("purchase/Production/19"), after: 0, limit: 1)
    let consents = try log.read(stream: StreamName("customer/\(stranger)"), after: 0, limit: 9)
    let positions = try log.erase((events + consents).map(\.id))
    try Self.expect(positions.count == 2)
    try add(
      CustomerErased(positions: positions.map(\.value), by: "operator:mika", reason: "ticket 4711"), id: "erased/1",
      to: "customer/\(stranger)", app: Installation.bundleID, customer: stranger, log)
  }

  // MARK: Steps

  private static func expect(_ holds: Bool, _ what: String = "", line: Int = #line) throws {
    if !holds { throw CommandError(.failure, "line \(line) of the story does not hold. \(what)") }
  }

  private func instant(_ offset: Int64) -> JSONValue { .number(JSONNumber(now + offset)) }

  private func consent(_ account: String, _ isGranted: Bool) -> JSONValue {
    [
      "bundleId": .string(Installation.bundleID), "account": .string(account), "granted": .bool(isGranted),
      "textVersion": "2026-01", "textDigest": .string(SHA256.digest(of: Self.consentText.utf8).hex), "channel": "app",
      "statedAt": instant(-10_000),
    ]
  }

  private func call(_ path: String, _ body: JSONValue, line: Int = #line) throws {
    let status = try installation.backend(path, body)
    try Self.expect((200...201).contains(status), "\(path): \(status)", line: line)
  }

  private func review(_ id: String, _ body: JSONValue, line: Int = #line) throws {
    let status = try installation.backend("/v1/cases/Production/\(Self.number(id))/reviews", body, method: .post)
    try Self.expect((200...201).contains(status), "\(id): \(status)", line: line)
  }

  /// Transaction ids are numbers.
  private static func number(_ id: String) -> String { id == "9b" ? "99" : id }

  private func transaction(_ id: String, signedAt: Int64, _ change: (inout JSONObject) -> Void) -> JSONObject {
    notices.transaction(Self.number(id), signedAt: signedAt) {
      $0["appAccountToken"] = .string(Self.account)
      change(&$0)
    }
  }

  private func nextUUID() -> String {
    signed += 1
    return SignedNotices.uuid(1, signed)
  }

  private func post(
    _ type: String, _ id: String, signedBefore: Int64 = 0, isEscaped: Bool = false,
    change: (inout JSONObject) -> Void = { _ in }
  ) throws -> Int {
    let signedAt = now - signedBefore
    let transaction = transaction(id, signedAt: signedAt, change)
    if !isEscaped {
      return try installation.post(notices.token(type, uuid: nextUUID(), signedAt: signedAt, transaction))
    }
    let inner = installation.store.signing.sign(JSONValue.object(transaction).bytes())
    var text = JSONValue.object([
      "notificationType": .string(type), "notificationUUID": .string(nextUUID()), "version": "2.0",
      "signedDate": .number(JSONNumber(signedAt)),
      "data": [
        "bundleId": .string(Installation.bundleID), "appAppleId": 1_470_168_111, "environment": "Production",
        "signedTransactionInfo": .string(String(decoding: inner, as: UTF8.self)),
      ],
    ]).text()
    text.replace("\"signedTransactionInfo\":\"e", with: "\"signedTransactionInfo\":\"\\u0065")
    return try installation.post(installation.store.signing.sign(Array(text.utf8)))
  }

  private func postTest() throws -> Int {
    try installation.post(
      installation.store.signing.sign(
        JSONValue.object([
          "notificationType": "TEST", "notificationUUID": .string(nextUUID()), "version": "2.0",
          "signedDate": .number(JSONNumber(now)),
          "data": [
            "bundleId": .string(Installation.bundleID), "appAppleId": 1_470_168_111, "environment": "Production",
          ],
        ]).bytes()))
  }

  private func refund(_ id: String, _ type: String, percentage: Int64?) throws {
    let status = try post("REFUND", id) {
      $0["revocationDate"] = .number(JSONNumber(now))
      $0["revocationReason"] = 1
      $0["revocationType"] = .string(type)
      $0["revocationPercentage"] = percentage.map { .number(JSONNumber($0)) }
    }
    try Self.expect(status == 200)
  }

  /// A CONSUMPTION_REQUEST.
  /// - Parameters:
  ///   - course: of the first call that it leads to; those after it are taken.
  ///   - until: id of the event that is waited for.
  private func ask(
    _ id: String, course first: WatchedAppStore.Course = .judged(afterMilliseconds: 0), signedBefore: Int64 = 0,
    until event: String? = nil, withheld: Bool = false, change: (inout JSONObject) -> Void = { _ in }
  ) throws {
    course.change { $0 = first }
    try Self.expect(post("CONSUMPTION_REQUEST", id, signedBefore: signedBefore, change: change) == 200, id)
    if let event { try wait(for: event) }
    if withheld { try waitForEnd(of: id) }
    course.change { $0 = .judged(afterMilliseconds: 0) }
  }

  private func wait(for id: String) throws { try wait(id) { $0.contains(id) } }

  private func waitForEnd(of id: String) throws {
    let log = try LocalEventLog.reading(installation.data)
    let stream = StreamName("purchase/Production/\(Self.number(id))")
    try wait("the end of \(id)") { _ in
      try log.read(stream: stream, after: 0, limit: 99).contains { $0.type == "ConsumptionWithheld" }
    }
  }

  /// Waits until it holds of the ids in the log, twenty seconds at most.
  private func wait(_ what: String = "what was to come", _ holds: ([String]) throws -> Bool) throws {
    let log = try LocalEventLog.reading(installation.data)
    let deadline = MonotonicClock.milliseconds() + 20_000
    while try !holds(log.read(after: .start, limit: 10_000).map(\.id.text)) {
      try Self.expect(MonotonicClock.milliseconds() < deadline, "\(what) is not in the log within 20 s")
      usleep(10_000)
    }
  }
}

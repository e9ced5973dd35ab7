import Contracts
import Cryptography
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// A disk is lost under load, and what was backed up beside the running services takes its place.
@Suite("A backup of a busy log", .serialized)
struct BackupUnderLoadTests {
  private static let account = "2b0b6c34-63a5-4a5f-9d7a-70a1f3f0c001"
  private static let refundlog = "\(Programs.folder)/refundlog"

  @Test(
    "is an exact prefix of it; restored elsewhere, it takes back what is known and what is lost, and sends nothing until resumed",
    .timeLimit(.minutes(5)))
  func story() throws {
    let folder = TemporaryFolder()
    // The answer to one request is on its way when the backup is made; the others are taken at once.
    let slow = "2000000000009001"
    let appStore = WatchedAppStore { .judged(afterMilliseconds: 0) }
    defer { appStore.stop() }
    var installation = try Installation(in: folder.path, production: appStore.port, sandbox: appStore.port)
    let receiver = try installation.program("refund-receiver")
    let responder = try installation.program("refund-responder")
    defer { for program in [responder, receiver] { program.kill() } }
    try receiver.startAndWait()
    try responder.startAndWait()
    let live = try LocalEventLog.reading(installation.data)
    let start = WallClock.system.now()
    let notices = SignedNotices(store: installation.store, environment: "Production")

    // Three that wait for a consent, and one whose claim has no result yet.
    let waiting = (1...3).map { "200000000000800\($0)" }
    for (number, id) in waiting.enumerated() {
      try post(request(id, number, signedAt: start, notices, isCoveredByTerms: false), to: installation)
    }
    appStore.take { .judged(afterMilliseconds: 12_000) }
    try post(request(slow, 10, signedAt: start, notices), to: installation)
    try eventually("the slow one is claimed") { try live.events("ConsumptionPrepared").count == 1 }

    let load = Load(installation, notices, signedAt: start)
    let place = folder.path + "/backup"
    try eventually("the load is on") { load.acknowledged.count > 20 }
    var told: [String] = []
    for number in 1...Effort.pick(2, long: 40) {
      let before = load.acknowledged.count
      let (code, output) = try run(Self.refundlog, ["backup", "\(place)-\(number)", "--data", installation.data])
      try #require(code == 0, "\(output)")
      told.append(output)
      #expect(load.acknowledged.count > before, "the load went on while it was made")
    }
    let backup = "\(place)-1"

    // After the backup: the three are answered, and one more comes and is answered. All of that will be lost.
    appStore.take { .judged(afterMilliseconds: 0) }
    try consent(installation, start)
    let lost = "2000000000009002"
    let lostRequest = request(lost, 11, signedAt: start, notices)
    try post(lostRequest, to: installation)
    try eventually("they are answered") { try live.events("ConsumptionSent").count >= 4 }
    load.end()
    #expect(load.refused.isEmpty)
    receiver.kill()
    responder.kill()
    #expect(appStore.waitUntilNoted())
    let callsBefore = appStore.calls.count

    try checkPrefix(of: live, place, count: told.count)
    let head = try LocalEventLog.reading(backup).head().position
    #expect(try LocalEventLog.reading(backup).events("ConsumptionSent").isEmpty)
    #expect(try LocalEventLog.reading(backup).events("ConsumptionPrepared").count == 1)
    let lived = try live.events("NotificationReceived").map(\.id.text)

    // Elsewhere: the old folder is gone as a whole.
    #expect(rename(installation.data, installation.data + ".lost") == 0)
    let (code, output) = try run(Self.refundlog, ["restore", backup, "--data", installation.data])
    try #require(code == 0, "\(output)")
    #expect(output.contains("up to position \(head)") && output.contains("refundlog resume"))
    // The claim without result counts as unknown by then.
    installation.settings["clock"] = [
      "start": .number(JSONNumber(start + 120_000)), "since": .number(JSONNumber(start)),
    ]
    try installation.write()
    try receiver.startAndWait()
    try responder.startAndWait()
    let log = try LocalEventLog.reading(installation.data)

    // All of it is delivered again, and the back end says again what it said.
    try load.deliverAgain(to: installation)
    try post(lostRequest, to: installation)
    for (number, id) in waiting.enumerated() {
      try post(request(id, number, signedAt: start, notices, isCoveredByTerms: false), to: installation)
    }
    try consent(installation, start)
    let ids = try log.events("NotificationReceived").map(\.id.text)
    #expect(ids.count == Set(ids).count, "each once")
    #expect(Set(ids) == Set(lived), "and none is missing")

    try eventually("the open claim is settled") { try log.events("ConsumptionFailed").count == 1 }
    let failed = try ConsumptionFailed(data: try #require(log.events("ConsumptionFailed")[0].data))
    #expect(failed.failure == .unknown)
    try Projected(data: installation.data).waitUntilAtRest(log, open: 5)
    #expect(appStore.calls.count == callsBefore, "nothing is sent")
    #expect(try get("/readyz", installation).status == 200)
    let metrics = String(decoding: try get("/metrics", installation).body, as: UTF8.self)
    #expect(metrics.contains("\nrefundlog_sending_paused 1\n"))
    let cases = try run(Self.refundlog, ["cases", "--data", installation.data]).output
    #expect(cases.contains("Sending is paused since the restore"))
    for id in waiting + [slow, lost] {
      let text = try run(Self.refundlog, ["case", id, "--data", installation.data]).output
      #expect(text.contains("It may have been answered before the restore"), "\(id)")
    }

    let resumed = try run(Self.refundlog, ["resume", "--data", installation.data])
    #expect(resumed.code == 0, "\(resumed.output)")
    try eventually("all five are answered") { try log.events("ConsumptionSent").count == 5 }
    try Projected(data: installation.data).waitUntilAtRest(log)
    #expect(appStore.calls.count == callsBefore + 5, "each once more")
    let claims = try log.events("ConsumptionPrepared").filter { $0.position > head }
    for claim in claims {
      #expect(try ConsumptionPrepared(data: try #require(claim.data)).sources["restore"] != nil, "\(claim.id)")
    }
    let after = String(decoding: try get("/metrics", installation).body, as: UTF8.self)
    #expect(after.contains("\nrefundlog_sending_paused 0\n"))
    receiver.stop()
    responder.stop()
    let proof = try run(Self.refundlog, ["log", "verify", "--data", installation.data])
    #expect(proof.code == 0, "\(proof.output)")
    print(
      "BackupUnderLoadTests: \(told.count) backups beside \(load.acknowledged.count) deliveries, the first of \(head.value) of "
        + "\(try live.head().position.value) events: \(told[0].split(separator: "\n").last ?? "")")
  }

  @Test("is not restored under a running service, whatever the folder holds") func held() throws {
    let folder = TemporaryFolder()
    let appStore = WatchedAppStore()
    defer { appStore.stop() }
    var installation = try Installation(in: folder.path, production: appStore.port, sandbox: appStore.port)
    let receiver = try installation.program("refund-receiver")
    defer { receiver.kill() }
    try receiver.startAndWait()
    let place = folder.path + "/backup"
    #expect(try run(Self.refundlog, ["backup", place, "--data", installation.data]).code == 0)
    #expect(system("mkdir '\(folder.path)/away' && mv '\(installation.data)'/events.* '\(folder.path)/away'") == 0)
    let (code, output) = try run(Self.refundlog, ["restore", place, "--data", installation.data])
    #expect(code == ExitCode.unavailable.rawValue && output.contains("stop the services first"), "\(output)")
    receiver.stop()
    #expect(try run(Self.refundlog, ["restore", place, "--data", installation.data]).code == 0)
    try receiver.startAndWait()
  }

  @Test("a restore and an import that are killed at any moment leave no log, or the whole one, and can be run again")
  func killed() throws {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    let log = try LocalEventLog.open(data, clock: .system)
    let events = Effort.pick(2_000, long: 20_000)
    for batch in 0..<(events / 500) {
      _ = try log.append(
        (0..<500).map { number in
          EventDraft(
            id: EventID("e/\(batch)/\(number)"), stream: StreamName("s/\(number)"), type: "Noted", occurredAt: 0,
            data: Array("{\"text\":\"\(String(repeating: "x", count: 1_000))\"}".utf8))
        })
    }
    let head = try log.head()
    log.close()
    let backup = folder.path + "/backup"
    let copy = folder.path + "/copy.jsonl"
    #expect(try run(Self.refundlog, ["backup", backup, "--data", data]).code == 0)
    #expect(try run(Self.refundlog, ["log", "export", "--lossless", "--output", copy, "--data", data]).code == 0)
    let commands = [(["restore", backup], head.position.next), (["log", "import", copy], head.position)]
    var random = SeededRandom(seed: Effort.seed())
    for (words, expected) in commands {
      let began = MonotonicClock.milliseconds()
      let whole = try run(Self.refundlog, words + ["--data", folder.path + "/whole-\(words[0])"])
      try #require(whole.code == 0, "\(whole.output)")
      let milliseconds = UInt32(MonotonicClock.milliseconds() - began)
      var (left, done) = (0, 0)
      for number in 1...Effort.pick(5, long: 40) {
        let target = folder.path + "/killed-\(words[0])-\(number)"
        let child = try ChildProcess(
          "refundlog", in: Programs.folder, arguments: words + ["--data", target], output: folder.path + "/output")
        usleep(UInt32.random(in: 0...(milliseconds * 1_100), using: &random))
        kill(child.id, SIGKILL)
        while child.isRunning { usleep(500) }
        if access(target + "/events.sqlite", F_OK) == 0 {
          done += 1
        } else {
          left += 1
          let again = try run(Self.refundlog, words + ["--data", target])
          try #require(again.code == 0, "\(again.output)")
        }
        let proof = try LogVerifier(folder: target).verify()
        #expect(proof.head == expected)
        #expect(
          try LocalEventLog.reading(target).read(after: head.position, limit: 2).allSatisfy { $0.type == "LogRestored" }
        )
        try Files.removeFolder(target)
      }
      print(
        "BackupUnderLoadTests: \(words[0]) killed within \(milliseconds) ms: \(left) times before its end, \(done) after it"
      )
      #expect(left > 0, "the test is worth nothing where no kill hits")
    }
  }

  // MARK: Parts

  private func request(
    _ id: String, _ number: Int, signedAt: Int64, _ notices: SignedNotices, isCoveredByTerms: Bool = true
  ) -> [UInt8] {
    let transaction = notices.transaction(id, signedAt: signedAt) { object in
      if isCoveredByTerms { return }
      object["purchaseDate"] = 1_700_000_000_000
      object["appAccountToken"] = .string(Self.account)
    }
    return notices.token(
      "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(8, number), signedAt: signedAt, transaction)
  }

  private func post(_ token: [UInt8], to installation: Installation) throws {
    let status = try installation.post(token)
    try #require(status == 200)
  }

  private func consent(_ installation: Installation, _ start: Int64) throws {
    let status = try installation.backend(
      "/v1/consents",
      [
        "bundleId": .string(Installation.bundleID), "account": .string(Self.account), "granted": true,
        "textVersion": "2025-01", "textDigest": .string(SHA256.digest(of: "We may tell Apple.".utf8).hex),
        "channel": "app", "statedAt": .number(JSONNumber(start - 1_000)),
      ])
    try #require(status == 201)
  }

  private func get(_ path: String, _ installation: Installation) throws -> (status: Int, body: [UInt8]) {
    let response = try HTTPClient().send(
      HTTPClientRequest(.get, HTTPURL("http://127.0.0.1:\(installation.ports.responder)\(path)")))
    return (response.status, response.body)
  }

  /// Each backup is whole, and the live log says the same up to where it ends, event by event.
  private func checkPrefix(of live: LocalEventLog, _ place: String, count: Int) throws {
    let head = try live.head()
    for number in 1...count {
      let proof = try LogVerifier(folder: "\(place)-\(number)").verify()
      let backup = try LocalEventLog.reading("\(place)-\(number)")
      #expect(proof.log == head.log && proof.head < head.position)
      var position = Position.start
      while position < proof.head {
        let events = try backup.read(after: position, limit: 500)
        try #require(try events == live.read(after: position, limit: events.count), "after \(position)")
        position = try #require(events.last).position
      }
      let manifest = try JSONValue(bytes: try #require(Project.bytes("\(place)-\(number)/backup.json")))
      #expect(manifest["position"]?.int64 == proof.head.value)
      #expect(manifest["chain"]?.string == Hex.encode(proof.chain))
    }
  }

  private func eventually(_ what: String, _ holds: () throws -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + 60_000
    while try !holds() {
      try #require(MonotonicClock.milliseconds() < deadline, "\(what): not within 60 s")
      usleep(20_000)
    }
  }
}

/// Notifications that open no case, posted by several threads until it is told to end.
private final class Load {
  private struct State {
    var tokens: [[UInt8]?] = []
    var acknowledged: Set<Int> = []
    var refused: [Int] = []
    var isOver = false
  }

  private let state = Monitor(State())
  private let threads: [OwnedThread]

  init(_ installation: Installation, _ notices: SignedNotices, signedAt: Int64) {
    let state = state
    threads = (0..<4).map { number in
      OwnedThread(name: "load.\(number)") {
        let client = HTTPClient()
        while true {
          let next: Int? = state.change { state in
            if state.isOver { return nil }
            state.tokens.append(nil)
            return state.tokens.count - 1
          }
          guard let next else { return }
          let token = notices.token(
            "DID_RENEW", uuid: SignedNotices.uuid(9, next), signedAt: signedAt,
            notices.transaction(String(2_100_000_000_000_000 + next), signedAt: signedAt))
          state.change { $0.tokens[next] = token }
          Self.post(next, token, installation, client, state)
        }
      }
    }
  }

  var acknowledged: Set<Int> { state.withLock { $0.acknowledged } }
  var refused: [Int] { state.withLock { $0.refused } }

  /// Ends it, when what is under way has its reply.
  func end() {
    state.change { $0.isOver = true }
    for thread in threads { thread.join() }
  }

  /// Everything once more.
  func deliverAgain(to installation: Installation) throws {
    let tokens = state.change { state in
      state.acknowledged = []
      return state.tokens.compactMap { $0 }
    }
    let state = state
    let threads = (0..<4).map { number in
      OwnedThread(name: "again.\(number)") {
        let client = HTTPClient()
        for next in stride(from: number, to: tokens.count, by: 4) {
          Self.post(next, tokens[next], installation, client, state)
        }
      }
    }
    for thread in threads { thread.join() }
    try #require(refused.isEmpty && acknowledged.count == tokens.count)
  }

  private static func post(
    _ number: Int, _ token: [UInt8], _ installation: Installation, _ client: HTTPClient, _ state: Monitor<State>
  ) {
    let status = try? installation.post(token, with: client)
    state.change { state in
      if status == 200 { state.acknowledged.insert(number) } else { state.refused.append(status ?? 0) }
    }
  }
}

extension LocalEventLog {
  fileprivate func events(_ type: String) throws -> [RecordedEvent] {
    var found: [RecordedEvent] = []
    var position = Position.start
    while true {
      let events = try read(after: position, limit: 1_000)
      guard let last = events.last else { return found }
      found += events.filter { $0.type == type }
      position = last.position
    }
  }
}

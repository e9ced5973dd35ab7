import AppStore
import Contracts
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// Everybody wants money back at once, of one app, and the App Store is not at its best: of fifty replies one is lost and one is
/// an error, and for a while it wants no more calls. Its limit and what it says are the simulator's, the pace is the usual one.
@Suite("Very many refund requests at once", .serialized)
struct AnswerStormTests {
  /// From an instant that Apple signed to the one that the answer is due at.
  private static let window: Int64 = 12 * 3_600_000 - 600_000
  private static let senders = 4
  /// Calls a second that Apple takes, and that are made of our own accord.
  private static let perSecond = (apple: 50, ours: 40)

  private enum Trouble: String, CaseIterable { case lostReply, serverError, rateLimited }

  /// One call as the App Store saw it.
  private struct Call {
    var transactionID: String
    var at: Int64
    var status: Int64?
    var trouble: Trouble?
  }

  private let count = Effort.pick(80, long: 5_000)
  /// How long the App Store wants no calls each time it says so.
  private let limitMilliseconds = Effort.pick(500, long: 2_000)

  @Test(
    "are answered before any is due, earliest due first, and never faster than Apple allows",
    .timeLimit(.minutes(14)))
  func storm() throws {
    let seed = Effort.seed()
    print("answer storm: seed \(seed)")
    var random = SeededRandom(seed: seed)
    let folder = TemporaryFolder()
    var installation = try installation(in: folder.path)
    let simulator = try installation.program("appstore-simulator")
    let receiver = try installation.program("refund-receiver")
    let responder = try installation.program("refund-responder")
    defer { for program in [responder, receiver, simulator] { program.kill() } }
    try simulator.startAndWait()
    try receiver.startAndWait()

    // Purchases by the order in which they are due; requests come in another one.
    let ids = (0..<count).map { String(2_000_000_000_000_000 + $0) }.shuffled(using: &random)
    let ranks = (0..<count).shuffled(using: &random)
    let troubles = troubles(using: &random)
    // Nearer to each other than the App Store takes calls for long: sent in another order, some would be late.
    let firstDue = WallClock.system.now() + Effort.pick(60_000, long: 200_000)
    let due: @Sendable (Int) -> Int64 = { firstDue + Int64($0) * 32 }
    let post = RequestPost(to: installation) {
      ids[ranks[$0]]
    } signedAt: {
      due(ranks[$0]) - Self.window
    }
    post.release(count)
    for id in ids { try control(installation, .put, "/transactions/\(id)") }
    for (rank, trouble) in troubles { try order(trouble, of: ids[rank], installation) }
    try #require(post.end() == [])

    try responder.startAndWait()
    let began = MonotonicClock.milliseconds()
    let events = try eventsUntilAnswered(installation, deadline: due(count - 1) + 60_000)
    let took = MonotonicClock.milliseconds() - began
    let figures = try ProcessFigures(of: try #require(responder.id))
    let calls = try calls(installation)
    let most = Self.mostInASecond(calls)
    print(
      "answer storm: \(count) requests in \(took) ms by \(calls.count) calls, at most \(most) in a second; \(figures)")

    #expect(most <= Self.perSecond.apple)
    // A call may be a little longer on its way than the next ones.
    #expect(most <= Self.perSecond.ours + Self.senders)
    #expect(calls.count { $0.status == 429 } == calls.count { $0.trouble == .rateLimited }, "it met the limit itself")
    expectSilence(calls)
    try expectOrder(calls, events, ids)
    try expectInTime(events, dues: Dictionary(uniqueKeysWithValues: ids.indices.map { (ids[$0], due($0)) }))
    // Said once more only where the App Store did not take it, or nobody knows whether it did.
    let told = Dictionary(grouping: calls, by: \.transactionID)
    for (rank, id) in ids.enumerated() {
      let calls = told[id] ?? []
      #expect(calls.count == (troubles[rank] == nil ? 1 : 2) && calls.last?.status == 202, "\(id): \(calls)")
    }
    #expect(figures.peakKiB < 150 * 1_024)
    #expect(responder.isRunning)
  }

  // MARK: Before it begins

  private func installation(in folder: String) throws -> Installation {
    var installation = try Installation(in: folder, production: 1, sandbox: 1)
    let address = JSONValue.string("http://127.0.0.1:\(installation.ports.simulator)")
    installation.settings["appStore"] = ["production": address, "sandbox": address]
    var responder = try #require(installation.settings["responder"]?.object)
    responder["pace"] = nil
    responder["senders"] = .number(JSONNumber(Int64(Self.senders)))
    installation.settings["responder"] = .object(responder)
    // Apple's own limits.
    installation.settings["simulator"] = [
      "port": .number(JSONNumber(Int64(installation.ports.simulator))), "notificationURL": "none",
      "appAppleId": 1_470_168_111, "environment": "Production", "dataFolder": .string("\(folder)/simulator"),
      "bundleId": .string(Installation.bundleID),
    ]
    return installation
  }

  /// What the first call for a request meets, by the request's place in the order.
  private func troubles(using random: inout SeededRandom) -> [Int: Trouble] {
    var troubles: [Int: Trouble] = [:]
    let burst = Effort.pick(3, long: 25)
    for place in count / 2..<count / 2 + burst { troubles[place] = .rateLimited }
    for trouble in [Trouble.lostReply, .serverError] {
      var left = max(2, count / 50)
      while left > 0 {
        let place = Int.random(in: 0..<count, using: &random)
        guard troubles[place] == nil else { continue }
        troubles[place] = trouble
        left -= 1
      }
    }
    return troubles
  }

  private func order(_ trouble: Trouble, of id: String, _ installation: Installation) throws {
    var fault: JSONObject = ["fault": .string(trouble.rawValue), "transactionId": .string(id)]
    if trouble == .rateLimited { fault["aheadMilliseconds"] = .number(JSONNumber(Int64(limitMilliseconds))) }
    try control(installation, .post, "/faults", .object(fault))
  }

  // MARK: Afterwards

  private func eventsUntilAnswered(_ installation: Installation, deadline: Int64) throws -> [RecordedEvent] {
    var tail = try LogTail(installation.data)
    var events: [RecordedEvent] = []
    while events.count(where: { $0.type == EventType.consumptionSent.rawValue }) < count {
      try #require(WallClock.system.now() < deadline, "all are answered a minute after the last is due")
      usleep(100_000)
      events += try tail.news().filter { $0.type != EventType.notificationReceived.rawValue }
    }
    return events
  }

  /// As they came.
  private func calls(_ installation: Installation) throws -> [Call] {
    let listed = try #require(try control(installation, .get, "/calls")["calls"]?.array)
    return try listed.filter { $0["call"]?.string == "consumption" }.map { call -> Call in
      let fault = call["faults"]?.array?.first?.string
      return Call(
        transactionID: try #require(call["transactionId"]?.string), at: try #require(call["receivedAt"]?.int64),
        status: call["status"]?.int64, trouble: fault.flatMap { Trouble(rawValue: $0) })
    }
  }

  private static func mostInASecond(_ calls: [Call]) -> Int {
    let instants = calls.map(\.at).sorted()
    var first = 0
    var most = 0
    for (place, instant) in instants.enumerated() {
      while instant - instants[first] >= 1_000 { first += 1 }
      most = max(most, place - first + 1)
    }
    return most
  }

  /// After a limit nobody calls before its end but those who were on their way.
  private func expectSilence(_ calls: [Call]) {
    let limits = calls.filter { $0.trouble == .rateLimited }
    for limit in limits {
      let early = calls.count { $0.at > limit.at && $0.at < limit.at + Int64(limitMilliseconds) }
      #expect(early < Self.senders, "after the limit at \(limit.at)")
    }
  }

  /// Claims follow the order exactly; what is sent at once may arrive in any order.
  private func expectOrder(_ calls: [Call], _ events: [RecordedEvent], _ ids: [String]) throws {
    let claimed = try events.filter { $0.type == EventType.consumptionPrepared.rawValue }.filter {
      try ConsumptionPrepared(data: try #require($0.data)).attempt == 1
    }
    #expect(claimed.map { Self.transactionID($0) } == ids)
    let places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
    var seen: Set<String> = []
    let arrived = calls.map(\.transactionID).filter { seen.insert($0).inserted }
    for (place, id) in arrived.enumerated() {
      #expect(abs(try #require(places[id]) - place) < Self.senders, "\(id) came as number \(place)")
    }
  }

  private func expectInTime(_ events: [RecordedEvent], dues: [String: Int64]) throws {
    for event in events {
      let data = try #require(event.data)
      switch event.type {
      case EventType.consumptionPrepared.rawValue: #expect(try !ConsumptionPrepared(data: data).late)
      case EventType.consumptionSent.rawValue:
        let due = try #require(dues[Self.transactionID(event)])
        #expect(try ConsumptionSent(data: data).sentAt < due, "\(event.stream)")
      case EventType.consumptionWithheld.rawValue: Issue.record("\(event.stream) was withheld")
      default: break
      }
    }
  }

  private static func transactionID(_ event: RecordedEvent) -> String {
    String(event.stream.text.split(separator: "/").last ?? "")
  }

  @discardableResult
  private func control(
    _ installation: Installation, _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil
  ) throws -> JSONValue {
    var settings = HTTPClientSettings()
    settings.limits.bodyBytesMax = 64 << 20
    let url = try HTTPURL("http://127.0.0.1:\(installation.ports.simulator)/simulator/v1\(path)")
    let reply = try HTTPClient(settings: settings).send(HTTPClientRequest(method, url, body: body?.bytes() ?? []))
    try #require((200..<300).contains(reply.status), "\(String(decoding: reply.body, as: UTF8.self))")
    return reply.body.isEmpty ? .null : try JSONValue(bytes: reply.body)
  }
}

import Cryptography
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service
import TestSupport

@testable import Operations

/// Refund requests arrive while receiver and responder are killed again and again.
///
/// The services' clock begins two minutes behind that of the simulator, and jumps a minute ahead twice: a responder
/// that was down for a minute, so that claims whose result was lost count as unknown without anybody waiting for it.
final class KillStory {
  /// What an asking customer is like.
  enum Kind: CaseIterable, Sendable {
    case plain, withEvidence, familyShared, beforeTheTerms, ofNobody, withdrawn
    var isAnswerable: Bool { self == .plain || self == .withEvidence }
  }

  struct Ask: Sendable {
    var kind: Kind
    var transactionID: String
    var uuid: String
    var request: [UInt8]
    var decision: (uuid: String, token: [UInt8])?
    var copies: Int
  }

  struct Plan: Sendable {
    var requests: Int
    var killsOfEach: Int
    /// Receivers, and as many responders, over the one log.
    var ofEach = 1
    var seed: UInt64
  }

  private struct Delivery: Sendable {
    var uuid: String
    var token: [UInt8]
    var notBefore: Int64
  }

  private struct Post: Sendable {
    var waiting: [Delivery] = []
    var underWay = 0
    var acknowledged: Set<String> = []
    var again = 0
    var refused: [String] = []
    var evidenceTaken = 0
    var evidenceRefused: [String] = []
  }

  let plan: Plan
  let asks: [Ask]
  let appStore: WatchedAppStore
  private(set) var installation: Installation
  private let simulator: KillableProgram
  private let receivers: [KillableProgram]
  private let responders: [KillableProgram]
  /// Where the receivers listen.
  private let receiverPorts: [UInt16]
  private let post = Monitor(Post())
  private let start = WallClock.system.now()
  /// How far the services' clock is ahead of the machine's; starts behind.
  private var ahead: Int64 = -120_000
  private(set) var kills = 0

  init(in folder: String, _ plan: Plan) throws {
    self.plan = plan
    let random = Monitor(SeededRandom(seed: plan.seed ^ 0xA9913))
    appStore = WatchedAppStore {
      random.withLock { random in
        if random.isOne(in: 50) { return .failed(status: 500) }
        let milliseconds = Int.random(in: 0...250, using: &random)
        return random.isOne(in: 40)
          ? .replyLost(afterMilliseconds: milliseconds) : .judged(afterMilliseconds: milliseconds)
      }
    }
    var installation = try Installation(in: folder, production: appStore.port, sandbox: appStore.port)
    asks = Self.asks(plan, SignedNotices(store: installation.store, environment: "Production"), now: start)
    installation.settings["simulator"] = [
      "port": .number(JSONNumber(Int64(installation.ports.simulator))), "notificationURL": "none",
      "appAppleId": 1_470_168_111, "environment": "Production", "callsPerSecond": 0,
      "dataFolder": .string("\(folder)/simulator"), "bundleId": .string(Installation.bundleID),
    ]
    simulator = try installation.program("appstore-simulator") { $0["clock"] = nil }
    let further = Installation.quietPorts(2 * (plan.ofEach - 1))
    receiverPorts = [installation.ports.receiver] + further.prefix(plan.ofEach - 1)
    let responderPorts = [installation.ports.responder] + further.suffix(plan.ofEach - 1)
    let (first, second) = (try installation.program("refund-receiver"), try installation.program("refund-responder"))
    receivers = try [first] + receiverPorts.dropFirst().map { try installation.further("refund-receiver", at: $0) }
    responders = try [second] + responderPorts.dropFirst().map { try installation.further("refund-responder", at: $0) }
    self.installation = installation
    try setClock()
  }

  /// Ends what still runs.
  func stop() {
    for program in responders + receivers + [simulator] { program.kill() }
    appStore.stop()
  }

  // MARK: The course of it

  /// Posts everything under fire; returns when every notification was acknowledged and the kills are done.
  func arriveUnderFire() throws {
    try simulator.startAndWait()
    for program in receivers + responders { try program.startAndWait() }
    appStore.watch(simulator: installation.ports.simulator, data: installation.data)
    try tellSimulator()
    try withdraw()
    var random = SeededRandom(seed: plan.seed)
    let first = asks.flatMap { ask in
      (0..<ask.copies).map { _ in Delivery(uuid: ask.uuid, token: ask.request, notBefore: 0) }
    }
    post.change { $0.waiting = first.shuffled(using: &random) }
    let posting = (0..<4).map { number in poster(SeededRandom(seed: plan.seed &+ UInt64(number) &+ 1)) }
    let telling = backend(SeededRandom(seed: plan.seed &+ 99))
    let isPosting = Monitor(true)
    let killers = (receivers + responders).enumerated().map { number, program in
      killer(of: program, SeededRandom(seed: plan.seed &+ 1_000 &+ UInt64(number)), isPosting)
    }
    for thread in posting { thread.join() }
    telling.join()
    isPosting.change { $0 = false }
    for (thread, count) in killers {
      thread.join()
      kills += count.withLock { $0 }
    }
  }

  /// A minute later on the services' clock: claims without a result count as unknown now.
  /// - Parameter killing: how often the responder is killed meanwhile.
  func aMinuteLater(killing count: Int) throws { try later(by: 60_000, killing: count) }

  /// The windows of all requests have closed.
  func theNextDay(killing count: Int) throws { try later(by: 13 * 3_600_000, killing: count) }

  private func later(by milliseconds: Int64, killing count: Int) throws {
    for program in receivers + responders { program.kill() }
    // A minute is more than any call takes: none of the old ones is under way when it is over.
    guard appStore.waitUntilIdle() else { throw CommandError(.failure, "calls to the App Store do not end") }
    ahead += milliseconds
    try setClock()
    for program in receivers + responders.dropFirst() { try program.startAndWait() }
    var random = SeededRandom(seed: plan.seed &+ UInt64(bitPattern: ahead))
    for _ in 0..<count {
      try responders[0].start()
      usleep(UInt32.random(in: 100_000...900_000, using: &random))
      if responders[0].kill() { kills += 1 }
    }
    try responders[0].startAndWait()
  }

  /// All of them end in order.
  func stopServices() { for program in responders + receivers { program.stop() } }

  /// The responder reads the whole log into an empty projection.
  func startResponderAnew() throws {
    Projected.remove(from: installation.data)
    try responders[0].startAndWait()
  }

  var acknowledged: Set<String> { post.withLock { $0.acknowledged } }
  /// Posted once more because no 200 came.
  var postedAgain: Int { post.withLock { $0.again } }
  /// Replies that no genuine notification may get.
  var refused: [String] { post.withLock { $0.refused + $0.evidenceRefused } }
  /// Services that ended before they were killed: none may.
  var endedByItself: [String] { (receivers + responders).flatMap(\.endedByItself) }
  /// Files of what the services printed.
  var outputs: [String] { (receivers + responders).map(\.output) }
  var evidenceTaken: Int { post.withLock { $0.evidenceTaken } }

  /// For each kind, how many there are.
  func count(_ kind: Kind) -> Int { asks.count { $0.kind == kind } }

  // MARK: Threads

  private func poster(_ seeded: SeededRandom) -> OwnedThread {
    let (post, installation, byUUID) = (
      post, installation, Dictionary(uniqueKeysWithValues: asks.map { ($0.uuid, $0) })
    )
    let ports = receiverPorts
    return OwnedThread(name: "poster") {
      var random = seeded
      let client = HTTPClient()
      while true {
        let now = MonotonicClock.milliseconds()
        let delivery: Delivery?? = post.withLock { post in
          guard let index = post.waiting.firstIndex(where: { $0.notBefore <= now }) else {
            return post.waiting.isEmpty && post.underWay == 0 ? .some(nil) : nil
          }
          post.underWay += 1
          return post.waiting.remove(at: index)
        }
        guard let delivery else {
          usleep(2_000)
          continue
        }
        guard var delivery else { return }
        let status = try? installation.post(delivery.token, to: ports.randomElement(using: &random), with: client)
        let pause = Int64.random(in: 0...1_500, using: &random)
        post.change { post in
          post.underWay -= 1
          switch status {
          case 200:
            let isFirst = post.acknowledged.insert(delivery.uuid).inserted
            if isFirst, let decision = byUUID[delivery.uuid]?.decision {
              post.waiting.append(
                Delivery(uuid: decision.uuid, token: decision.token, notBefore: MonotonicClock.milliseconds() + pause))
            }
          case nil, 503:
            post.again += 1
            delivery.notBefore = MonotonicClock.milliseconds() + 30
            post.waiting.append(delivery)
          case let status?: post.refused.append("\(delivery.uuid): \(status)")
          }
        }
        usleep(UInt32.random(in: 0...90_000, using: &random))
      }
    }
  }

  /// The developer's back end tells what was used, again until it was taken.
  private func backend(_ seeded: SeededRandom) -> OwnedThread {
    let (post, installation, statedAt) = (post, installation, start - 120_000)
    let asks = asks.filter { $0.kind == .withEvidence }
    return OwnedThread(name: "backend") {
      var random = seeded
      let client = HTTPClient()
      for ask in asks.shuffled(using: &random) {
        let body: JSONValue = [
          "bundleId": .string(Installation.bundleID), "statedAt": .number(JSONNumber(statedAt)),
          "values": [
            "unitsGranted": 1000, "unitsUsed": .number(JSONNumber(Int64.random(in: 0...1000, using: &random))),
          ],
        ]
        let path = "/v1/evidence/Production/\(ask.transactionID)"
        for _ in 0..<2_000 {
          let status = try? installation.backend(path, body, key: ask.uuid, with: client)
          if status == 200 || status == 201 {
            post.change { $0.evidenceTaken += 1 }
            break
          }
          if let status, status != 503 { post.change { $0.evidenceRefused.append("\(path): \(status)") } }
          usleep(30_000)
        }
        usleep(UInt32.random(in: 0...60_000, using: &random))
      }
    }
  }

  /// Kills and starts again, until it was often enough and nothing is posted any more.
  private func killer(
    of program: KillableProgram, _ seeded: SeededRandom, _ isPosting: Monitor<Bool>
  ) -> (OwnedThread, Monitor<Int>) {
    let kills = Monitor(0)
    let enough = plan.killsOfEach
    let data = installation.data
    let isOnlyResponder = program.name == "refund-responder" && plan.ofEach == 1
    // Used by this thread alone until it is joined.
    nonisolated(unsafe) let program = program
    let thread = OwnedThread(name: "killer") {
      var random = seeded
      while kills.withLock({ $0 }) < enough || isPosting.withLock({ $0 }) {
        // Now and then before it is up.
        let range: ClosedRange<UInt32> = random.isOne(in: 4) ? 1_000...80_000 : 100_000...700_000
        usleep(UInt32.random(in: range, using: &random))
        if program.kill() { kills.change { $0 += 1 } }
        // The projection may be lost with its responder: the next one reads the log from the beginning.
        if isOnlyResponder, random.isOne(in: 6) { Projected.remove(from: data) }
        try? program.start()
      }
    }
    return (thread, kills)
  }

  // MARK: Before it begins

  private func setClock() throws {
    installation.settings["clock"] = [
      "start": .number(JSONNumber(start + ahead)), "since": .number(JSONNumber(start)),
    ]
    try installation.write()
  }

  private func tellSimulator() throws {
    let client = HTTPClient()
    for ask in asks where ask.kind.isAnswerable {
      _ = try client.send(
        HTTPClientRequest(
          .put,
          HTTPURL("http://127.0.0.1:\(installation.ports.simulator)/simulator/v1/transactions/\(ask.transactionID)")))
    }
  }

  /// One customer says no before anything is asked.
  private func withdraw() throws {
    let status = try installation.backend(
      "/v1/consents",
      [
        "bundleId": .string(Installation.bundleID), "account": .string(Self.unwilling), "granted": false,
        "textVersion": "2025-01", "textDigest": .string(SHA256.digest(of: "We may tell Apple.".utf8).hex),
        "channel": "app", "statedAt": .number(JSONNumber(start - 200_000)),
      ])
    guard status == 201 else { throw CommandError(.failure, "the withdrawal was answered \(status)") }
  }

  private static let unwilling = "9f1c2a52-8f1e-4f0e-9c5c-2f3d1a7b6e10"

  private static func asks(_ plan: Plan, _ notices: SignedNotices, now: Int64) -> [Ask] {
    var random = SeededRandom(seed: plan.seed ^ 0xA5C5)
    return (0..<plan.requests).map { number in
      // Of twenty: thirteen plain, three with evidence, one of each other kind.
      let kinds: [Kind] =
        Array(repeating: .plain, count: 13) + Array(repeating: .withEvidence, count: 3)
        + [.familyShared, .beforeTheTerms, .ofNobody, .withdrawn]
      // The first of them are there in any case.
      let kind = number < Kind.allCases.count ? Kind.allCases[number] : kinds.randomElement(using: &random)!
      let transactionID = String(2_000_000_000_000_000 + number)
      let transaction = notices.transaction(transactionID, signedAt: now) { object in
        switch kind {
        case .plain, .withEvidence: break
        case .familyShared: object["inAppOwnershipType"] = "FAMILY_SHARED"
        case .beforeTheTerms: object["purchaseDate"] = 1_700_000_000_000
        case .ofNobody: object["appAccountToken"] = nil
        case .withdrawn: object["appAccountToken"] = .string(unwilling)
        }
      }
      let uuid = SignedNotices.uuid(1, number)
      var decision: (uuid: String, token: [UInt8])?
      if random.isOne(in: 6) {
        let isRefund = Bool.random(using: &random)
        var decided = transaction
        if isRefund {
          decided["revocationDate"] = .number(JSONNumber(now + 1_000))
          decided["revocationReason"] = 0
        }
        let uuid = SignedNotices.uuid(2, number)
        decision = (
          uuid, notices.token(isRefund ? "REFUND" : "REFUND_DECLINED", uuid: uuid, signedAt: now + 1_000, decided)
        )
      }
      return Ask(
        kind: kind, transactionID: transactionID, uuid: uuid,
        request: notices.token("CONSUMPTION_REQUEST", uuid: uuid, signedAt: now, transaction), decision: decision,
        copies: random.isOne(in: 5) ? Int.random(in: 2...4, using: &random) : 1)
    }
  }
}

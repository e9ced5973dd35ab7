import Contracts
import Cryptography
import EventLog
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("Time and the responder", .timeLimit(.minutes(5))) struct CaseLoopTimeTests {
  private static let start = Story.start
  private static let hour = Story.hour

  private func ready(_ rig: ResponderRig) throws {
    try rig.story.policy()
    try rig.story.consent(true)
  }

  /// Further requests of the same customer, each of a purchase of its own.
  @discardableResult
  private func requests(_ count: Int, _ rig: ResponderRig, from first: Int = 0) throws -> [Story] {
    try (first..<first + count).map { number in
      let story = Story(
        environment: rig.story.key.environment, transactionID: String(3_000_000_000_000_000 + number),
        log: rig.story.log)
      try story.evidence(Story.facts)
      // In another order than they come.
      try story.notification(
        "CONSUMPTION_REQUEST", uuid: 5_000 + number, signedAt: Self.start - Int64((number * 7_919) % count) * 100,
        receivedAt: Self.start)
      return story
    }
  }

  // MARK: Pace

  @Test("many at once are claimed in order of due, and at their pace") func pace() throws {
    let count = Effort.pick(60, long: 5_000)
    let rig = try ResponderRig(
      Story(environment: "Production"), pace: CallPace(consumptionPerSecond: 50, percent: 100))
    try ready(rig)
    let stories = try requests(count, rig)
    let due = Dictionary(
      uniqueKeysWithValues: try stories.map {
        ($0.stream, Window(try $0.state().requests[0], environment: "Production").due)
      })
    try rig.start()
    try rig.wait(for: .consumptionSent, count: count, seconds: 10 + Int64(count))
    let claims = try rig.events(.consumptionPrepared).map { due[$0.stream]! }
    #expect(claims == claims.sorted())
    #expect(claims.count == count)
    let arrivals = rig.appStore.arrivals
    #expect(arrivals.last! - arrivals[0] >= Int64(count - 1) * 20 * 9 / 10)
    for event in try rig.events(.consumptionPrepared) {
      #expect(try ConsumptionPrepared(data: event.data!).sendBy == Self.start + 20_000)
    }
  }

  @Test("in the sandbox at a tenth of it") func sandboxPace() throws {
    let rig = try ResponderRig(pace: CallPace(consumptionPerSecond: 100, percent: 100))
    try ready(rig)
    try requests(8, rig)
    try rig.start()
    try rig.wait(for: .consumptionSent, count: 8)
    let arrivals = rig.appStore.arrivals
    #expect(arrivals.last! - arrivals[0] >= 7 * 100 * 9 / 10)
  }

  // MARK: Apple's limit

  @Test(
    "a limit of Apple's is waited for by all cases of the app, and where its end cannot be meant by our own plan",
    arguments: [
      ("\(start + 30_000)", 30_000), ("\(start - hour)", 2_000), ("\(start + 5 * hour)", 3_600_000),
      ("\(start + 400 * 24 * hour)", 2_000), ("9223372036854775807", 2_000), ("soon", 2_000), ("-60", 2_000),
      // Not an instant of Apple's: some gateway's seconds.
      ("60", 60_000),
    ] as [(String, Int64)])
  func retryAfter(value: String, wait: Int64) throws {
    let rig = try ResponderRig(
      Story(environment: "Production"), replies: [.status(429, fields: ["Retry-After: \(value)"])])
    try ready(rig)
    try requests(1, rig)
    try rig.start()
    let failed = try ConsumptionFailed(data: rig.wait(for: .consumptionFailed)[0].data!)
    #expect(failed.retryAt == Self.start + wait)
    let others = try requests(3, rig, from: 10)
    try rig.settle()
    #expect(rig.appStore.answers.count == 1, "the others wait too")
    let reader = CaseReader(folder: rig.place, log: rig.story.log, clock: rig.clock.wall)
    #expect(
      try reader.page(of: others[0].key)?.requests[0].words
        == "It is waiting until \(RFC3339.text(Self.start + wait)) because Apple limited our calls.")
    try rig.set(Self.start + wait - 1)
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
    try rig.set(Self.start + wait)
    try rig.wait(for: .consumptionSent, count: 4)
    #expect(rig.appStore.answers.count == 5)
  }

  @Test("a limit whose end Apple does not name is waited for longer each time it is met") func limitsInARow() throws {
    let limit = AppStoreStandIn.Reply.status(429)
    let rig = try ResponderRig(Story(environment: "Production"), replies: [limit, limit, limit])
    try ready(rig)
    try requests(1, rig)
    try rig.start()
    var now = Self.start
    for (number, wait) in [2_000, 4_000, 8_000].enumerated() {
      let failed = try ConsumptionFailed(data: rig.wait(for: .consumptionFailed, count: number + 1)[number].data!)
      #expect(failed.retryAt == now + Int64(wait))
      now += Int64(wait)
      try rig.set(now)
    }
    try rig.wait(for: .consumptionSent)
  }

  @Test("one whose window closes soon waits for no limit, and is called at its last call") func lastCall() throws {
    let rig = try ResponderRig(
      Story(environment: "Production"), replies: [.status(429, fields: ["Retry-After: \(Self.start + 11 * Self.hour)"])]
    )
    try ready(rig)
    // Received ten hours ago.
    try rig.story.evidence(Story.facts)
    try rig.story.notification(
      "CONSUMPTION_REQUEST", uuid: 1, signedAt: Self.start - 11 * Self.hour - 50 * 60_000,
      receivedAt: Self.start - 11 * Self.hour - 50 * 60_000)
    try rig.start()
    try rig.wait(for: .consumptionFailed)
    try rig.settle()
    try rig.set(Self.start + 8 * 60_000 - 1)
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
    try rig.set(Self.start + 8 * 60_000)
    try rig.wait(for: .consumptionSent)
  }

  // MARK: A clock that is wrong

  /// Apple's check of a token's dates at the true time.
  @Sendable private static func judged(_ call: AppStoreStandIn.Call, _ now: Int64) -> AppStoreStandIn.Reply {
    guard call.method == .put else { return .status(404) }
    let parts = (call.authorization ?? "").split(separator: ".")
    guard parts.count == 3, let payload = Base64URL.decode(Array(parts[1].utf8)[...])?.bytes,
      let claims = try? JSONValue(bytes: payload),
      let issued = claims["iat"]?.int64, let expires = claims["exp"]?.int64
    else { return .status(400) }
    return issued <= now / 1000 && now / 1000 < expires ? .status(202) : .status(401)
  }

  @Test(
    "a clock that is 40 s ahead or far behind is put right by Apple's replies, and the answers are taken",
    arguments: [40_000, -90_000, -400_000])
  func skewed(wrong: Int64) throws {
    let rig = try ResponderRig(Story(environment: "Production"), isAppleDated: true, judge: Self.judged)
    rig.clock.isWrong(by: wrong)
    try ready(rig)
    try requests(1, rig)
    try rig.start()
    // Nothing moves the clock: it is asked for Apple's time at once, not at the next try in five minutes.
    try rig.wait(for: .consumptionSent)
    let isRefusedFirst = wrong > 30_000 || wrong < -270_000
    #expect((isRefusedFirst ? 2...3 : 1...1).contains(rig.appStore.answers.count))
    if isRefusedFirst {
      #expect(abs(rig.apple.now() - rig.clock.trueTime) < 1_000)
      let failed = try ConsumptionFailed(data: try rig.events(.consumptionFailed)[0].data!)
      #expect(failed.explanation.contains("(1) this machine's clock is \(abs(wrong) / 1000) s"))
      #expect(failed.explanation.contains("ABC123DEFG"))
      #expect(rig.metrics.registry.text().contains("refundlog_clock_offset_seconds \(wrong > 0 ? "-" : "")"))
    }
  }

  @Test("a clock that jumps 13 h ahead ends nothing, is doubted by Apple, and the request is answered") func ahead()
    throws
  {
    let rig = try ResponderRig(Story(environment: "Production"), isAppleDated: true, judge: Self.judged)
    try rig.story.policy()
    try requests(1, rig)
    try rig.start()
    try rig.waitUntilFollowed()
    rig.clock.isWrong(by: 13 * Self.hour)
    try rig.set(Self.start + 60_000)
    // Apple is asked for its time, and says that the window is open.
    try rig.waitUntil("the clock is put right") { !rig.apple.isDoubtful && rig.apple.offset != nil }
    try rig.story.consent(true)
    try rig.wait(for: .consumptionSent)
    #expect(try rig.events(.consumptionWithheld).isEmpty)
    #expect(try ConsumptionPrepared(data: rig.events(.consumptionPrepared)[0].data!).late == false)
  }

  @Test(
    "a clock that jumps 13 h ahead while Apple cannot be asked ends nothing either, and all goes on when it is mended")
  func mended() throws {
    // Its replies have no Date.
    let rig = try ResponderRig(Story(environment: "Production"))
    try rig.story.policy()
    try requests(3, rig)
    try rig.start()
    try rig.waitUntilFollowed()
    rig.clock.isWrong(by: 13 * Self.hour)
    try rig.set(Self.start + 60_000)
    try rig.waitUntilActed()
    #expect(rig.apple.isDoubtful)
    #expect(rig.metrics.registry.text().contains("refundlog_clock_doubtful 1"))
    #expect(try rig.events(.consumptionWithheld).isEmpty)
    rig.clock.isWrong(by: 0)
    try rig.set(Self.start + 120_000)
    try rig.story.consent(true)
    try rig.wait(for: .consumptionSent, count: 3)
    #expect(try rig.events(.consumptionWithheld).isEmpty)
  }

  @Test("a wait that a wrong clock reckoned does not outlast its mending") func reckonedWrong() throws {
    let rig = try ResponderRig(
      Story(environment: "Production"), replies: [.status(500), .status(429)], isAppleDated: false)
    try ready(rig)
    rig.clock.isWrong(by: 13 * Self.hour)
    // Received by the same wrong clock.
    let story = Story(environment: "Production", transactionID: "77", log: rig.story.log)
    try story.evidence(Story.facts)
    try story.notification(
      "CONSUMPTION_REQUEST", uuid: 9, signedAt: Self.start, receivedAt: Self.start + 13 * Self.hour)
    try rig.start()
    try rig.wait(for: .consumptionFailed, count: 1)
    rig.clock.isWrong(by: 0)
    try rig.set(Self.start + 10_000)
    try rig.wait(for: .consumptionFailed, count: 2)
    try rig.set(Self.start + 20_000)
    try rig.wait(for: .consumptionSent)
  }

  // MARK: A key that is mended

  @Test("a key mended six hours after a 401 brings all answers within a minute of the clock") func mendedKey() throws {
    let count = Effort.pick(80, long: 2_000)
    let isMended = Monitor(false)
    let rig = try ResponderRig(Story(environment: "Production"), isAppleDated: true) { call, _ in
      isMended.withLock { $0 } ? .status(202) : .status(401)
    }
    try ready(rig)
    try requests(count, rig)
    try rig.start()
    try rig.wait(for: .consumptionFailed, count: 2)
    try rig.settle()
    // Two that were under way together, and one with a fresh token.
    let first = rig.appStore.answers.count
    #expect((2...3).contains(first))
    for hour in 1...6 {
      try rig.set(Self.start + Int64(hour) * Self.hour)
      try rig.wait(for: .consumptionFailed, count: first + hour)
      try rig.settle()
    }
    #expect(rig.appStore.answers.count == first + 6, "one tries for all")
    isMended.change { $0 = true }
    try rig.reload()
    // The clock stands still: everything happens without waiting for the next try.
    try rig.wait(for: .consumptionSent, count: count, seconds: 60)
    #expect(rig.appStore.answers.count == first + 6 + count)
    let claims = try rig.events(.consumptionPrepared).suffix(count - 1).map(\.stream)
    #expect(Set(claims).count == count - 1)
  }
}

import AppStore
import Contracts
import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

/// A log as life fills it, drawn from a number: the real loop judges, claims, sends and records, while Apple, back end,
/// people, operator and a newer release go on speaking. At the end nothing is left to do.
struct LivedThrough {
  let seed: UInt64
  /// The log, at rest.
  let log: MemoryEventLog
  let events: [RecordedEvent]
  let head: Bookmark
  /// What the loop's projection said at the end.
  let rows: [String]
  /// What the clock showed at the end.
  let instant: Int64
  /// How often the App Store was called.
  let calls: Int

  /// The same salts for the same events, however often an event is delivered: a log that is filled anew has the same
  /// chain.
  static func emptyLog() -> MemoryEventLog {
    MemoryEventLog(
      parts: LogParts(
        clock: { Story.start }, randomBytes: { [UInt8](repeating: 7, count: $0) },
        newLogID: { "00000000-0000-4000-8000-000000000010" }))
  }

  /// Lives through it; returns when at least so many events are in the log.
  init(seed: UInt64, events count: Int) throws {
    let log = Self.emptyLog()
    var life = Life(seed: seed, log: log)
    let rig = try ResponderRig(
      Story(environment: "Sandbox", transactionID: "1", log: log), replies: life.replies(),
      log: ImpatientLog(log: log))
    try life.declare()
    try rig.start()
    while try log.head().position.value < Int64(count) {
      for _ in 0..<8 { try life.act() }
      life.pass { rig.clock.set($0) }
      try rig.waitUntilFollowed()
    }
    // The windows of all requests close.
    life.now += 14 * Story.hour
    rig.clock.set(life.now)
    // All of the log is read, and nothing is left to do: so nothing comes after it.
    let deadline = MonotonicClock.milliseconds() + 60_000
    while true {
      try rig.waitUntilFollowed()
      let before = try log.head()
      if try ProjectionRows.openCases(in: rig.folder.path) == 0,
        ProjectionRows.position(in: rig.folder.path) == before.position, try log.head() == before
      {
        break
      }
      try #require(MonotonicClock.milliseconds() < deadline, "the loop comes to rest within 60 s, seed \(seed)")
      usleep(10_000)
    }
    rig.stop()
    self.seed = seed
    self.log = log
    events = try log.read(after: .start, limit: 100_000)
    head = try log.head()
    rows = try ProjectionRows.all(in: rig.folder.path)
    instant = life.now
    calls = rig.appStore.answers.count
  }
}

/// Draws what happens next.
private struct Life {
  private static let accounts = (0..<12).map { "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d\(10 + $0)" }
  private static let contexts: [(String, String?)] = [
    ("SUBSCRIBED", "INITIAL_BUY"), ("DID_RENEW", nil), ("EXPIRED", "VOLUNTARY"), ("ONE_TIME_CHARGE", nil),
    ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"), ("REVOKE", nil), ("SOMETHING_NEW", "OF_APPLE"),
  ]

  private var random: SeededRandom
  private let log: MemoryEventLog
  private let purchases: [Story]
  private var number = 1_000
  private var hasUnreadable = false
  var now = Story.start

  init(seed: UInt64, log: MemoryEventLog) {
    random = SeededRandom(seed: seed)
    self.log = log
    purchases = (0..<90).map {
      Story(environment: $0 % 3 == 0 ? "Sandbox" : "Production", transactionID: "\(20_000 + $0)", log: log)
    }
  }

  /// What the App Store says to one call after the other.
  mutating func replies() -> [AppStoreStandIn.Reply] {
    (0..<2_000).map { _ in
      switch Int.random(in: 0..<20, using: &random) {
      case 0, 1: .status(500)
      case 2: .lost
      case 3: .status(429, fields: ["Retry-After: \(Story.start + Story.hour)"])
      case 4: .status(400, body: #"{"errorCode":4000031,"errorMessage":"Invalid"}"#)
      default: .status(202)
      }
    }
  }

  mutating func declare() throws {
    try purchases[0].policy()
    try purchases[0].acceptedTexts("1", "2")
    try purchases[0].statement("gems")
  }

  /// The clock goes on, sometimes far.
  mutating func pass(_ set: (Int64) -> Void) {
    now += random.isOne(in: 6) ? Int64.random(in: 0...Story.hour, using: &random) : 45_000
    set(now)
  }

  mutating func act() throws {
    let story = purchases.randomElement(using: &random)!
    number += 1
    switch Int.random(in: 0..<100, using: &random) {
    case ..<24:
      let (type, subtype) = Self.contexts.randomElement(using: &random)!
      try notification(type, subtype, story)
    case ..<48: try notification("CONSUMPTION_REQUEST", nil, story)
    case ..<58:
      try notification(
        ["REFUND", "REFUND_DECLINED", "REFUND_REVERSED"].randomElement(using: &random)!, nil, story)
    case ..<68:
      if random.isOne(in: 9) {
        try story.evidence(.unknownPurchase, statedAt: now)
      } else {
        try story.evidence(Story.facts(share: Int64.random(in: 0...100, using: &random) * 1_000), statedAt: now)
      }
    case ..<76:
      try story.consent(!random.isOne(in: 4), statedAt: now, account: Self.accounts.randomElement(using: &random)!)
    case ..<80: try story.link(Self.accounts.randomElement(using: &random)!, statedAt: now)
    case ..<88: try review(story)
    case ..<90: try operate(story)
    case ..<96: try foreign(story)
    default: try again()
    }
  }

  private mutating func notification(_ type: String, _ subtype: String?, _ story: Story) throws {
    // Apple delivers late, and out of order.
    let signedAt = now - Int64.random(in: 0...120_000, using: &random)
    let account = random.isOne(in: 5) ? nil : Self.accounts[Int(story.key.transactionID)! % Self.accounts.count]
    let original = random.isOne(in: 4) ? purchases[0].key.transactionID : story.key.transactionID
    let isShared = random.isOne(in: 12)
    try story.notification(
      type, subtype: subtype, uuid: number, signedAt: signedAt, receivedAt: now, account: account,
      reason: type == "CONSUMPTION_REQUEST" ? "UNINTENDED_PURCHASE" : nil
    ) { transaction in
      transaction["originalTransactionId"] = .string(original)
      if isShared { transaction["inAppOwnershipType"] = "FAMILY_SHARED" }
      if type == "REFUND" {
        transaction["revocationDate"] = .number(JSONNumber(signedAt))
        transaction["revocationReason"] = 0
      }
    }
  }

  private mutating func review(_ story: Story) throws {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try story.review(.hold, until: now + Story.hour, all: random.isOne(in: 2) ? true : nil)
    case 1: try story.review(.release)
    case 2: try story.review(.prefer, preference: "DECLINE")
    case 3: try story.review(.note, note: "called back")
    case 4: try story.review(.answerNow)
    default: try story.review(.answerAgain)
    }
  }

  private mutating func operate(_ story: Story) throws {
    switch Int.random(in: 0..<5, using: &random) {
    case 4: try story.rescind(uuid: number, signedAt: now)
    case 0: try story.statement(random.isOne(in: 2) ? "gems" : "*", sample: random.isOne(in: 3))
    case 1: try story.terms(kind: random.isOne(in: 2) ? .terms : .optIn)
    case 2: try story.acceptedTexts("1")
    default: try story.acceptedTexts("1", "2")
    }
  }

  /// What a newer release writes, of types that are not known and of versions that are not, and what nobody can read.
  private mutating func foreign(_ story: Story) throws {
    let stream = [story.stream, story.appStream, story.customerStream, StreamName("seats")].randomElement(
      using: &random)!
    var draft = EventDraft(
      id: EventID("seats/\(number)"), stream: stream, type: "SeatsReturned", schema: 3, app: Story.bundleID,
      occurredAt: now, data: Array(#"{"seats":3,"unit":1.50E+3}"#.utf8))
    // The first one in any case: no story is without a stream that cannot be read.
    if random.isOne(in: 12) || !hasUnreadable {
      hasUnreadable = true
      draft.stream = story.stream
      draft.type = EventType.evidenceRecorded.rawValue
      if random.isOne(in: 2) { draft.schema = 1 }
    }
    try story.add(draft)
  }

  /// The same once more, as a retry after a lost reply brings it.
  private mutating func again() throws {
    let head = try log.head().position.value
    let position = Int64.random(in: 0..<head, using: &random)
    for event in try log.read(after: Position(position), limit: 1) { _ = try log.append([event.draft]) }
  }
}

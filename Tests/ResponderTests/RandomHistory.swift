import Contracts
import EventLog
import JSON
import Service
import TestSupport

@testable import Responder

/// A history that nobody planned: events of every type over few streams, in any order, among them ones that cannot be
/// read, ones of a later release, and ones that were erased.
struct RandomHistory {
  let log: MemoryEventLog
  private var random: SeededNumbers
  private let stories: [Story]
  private var number = 0

  init(seed: UInt64) throws {
    random = SeededNumbers(seed: seed)
    let log = Story.memory()
    self.log = log
    stories = (1...4).map { Story(environment: $0 == 4 ? "Sandbox" : "Production", transactionID: "\($0)", log: log) }
    // In every other one an answer has what it needs soon.
    if seed % 2 == 0 {
      try stories[0].policy()
      try stories[0].statement("*")
      try stories[0].consent(true, statedAt: Story.start + 6_000)
    }
  }

  /// Appends the next thing that happens.
  mutating func step() throws {
    number += 1
    let story = stories.randomElement(using: &random)!
    let at = Story.start + Int64.random(in: -5_000...5_000, using: &random)
    switch number < 8 && Int.random(in: 0..<8, using: &random) == 0 ? 24 : Int.random(in: 0..<26, using: &random) {
    case 0, 1, 2:
      try story.notification(
        ["SUBSCRIBED", "DID_RENEW", "EXPIRED", "REVOKE"].randomElement(using: &random)!, uuid: number, signedAt: at,
        account: Bool.random(using: &random) ? Story.account : nil)
    case 3, 4: try story.notification("CONSUMPTION_REQUEST", uuid: number, signedAt: at) { renew(story, &$0) }
    case 5: try story.notification("REFUND", uuid: number, signedAt: at)
    case 6: try story.notification("REFUND", subtype: "SEATS", uuid: number, signedAt: at)
    case 7: try story.notification("REFUND_DECLINED", uuid: number, signedAt: at)
    case 8: try story.notification("REFUND_REVERSED", uuid: number, signedAt: at)
    case 9, 10:
      try story.evidence(Story.facts(share: Int64.random(in: 0...100_000, using: &random)), statedAt: at)
    case 11: try story.evidence(.unknownPurchase, statedAt: at)
    case 12, 13: try story.consent(Bool.random(using: &random), statedAt: at)
    case 14: try story.link(statedAt: at)
    case 15: try story.review([.hold, .release, .note, .answerNow].randomElement(using: &random)!, note: "a note")
    case 16: try story.policy()
    case 17: try story.statement(Bool.random(using: &random) ? "*" : "gems")
    case 18: try story.acceptedTexts("1", "\(number)")
    case 19, 20: try answer(story)
    case 21:
      try add("Ticked", to: [story.stream, story.appStream, StreamName("alarm/x")].randomElement(using: &random)!)
    case 22: try add("EvidenceRecorded", to: story.stream, schema: 9)
    case 23:
      if Int.random(in: 0..<3, using: &random) > 0 {
        try add("NotificationReceived", to: story.appStream, kind: "TEST")
      } else {
        try story.rescind(uuid: number, signedAt: at)
      }
    // Often before the purchase has a case, too.
    case 24 where number < 8 || Int.random(in: 0..<4, using: &random) == 0: try unreadable(story)
    default:
      let id = try story.notification("CONSUMPTION_REQUEST", uuid: number, signedAt: at)
      if Int.random(in: 0..<3, using: &random) == 0 { _ = try log.erase([EventID(id)]) }
    }
  }

  private func renew(_ story: Story, _ transaction: inout JSONObject) {
    if story.key.transactionID == "2" { transaction["originalTransactionId"] = "1" }
  }

  private mutating func answer(_ story: Story) throws {
    // A stream that cannot be read has no next step.
    guard case .claim(let claim)? = try? story.step() else { return }
    try story.claim(claim.prepared)
    if Bool.random(using: &random) { try story.sent(claim.prepared) }
  }

  private mutating func unreadable(_ story: Story) throws {
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 4: try add("EvidenceRecorded", to: story.stream)
    case 1: try add("NotificationReceived", to: story.stream, kind: "REFUND")
    case 2: try add("ConsentRecorded", to: story.customerStream)
    default:
      if Bool.random(using: &random) {
        try add("PolicyLoaded", to: story.appStream)
      } else {
        try add("NotificationReceived", to: story.appStream, kind: "RESCIND_CONSENT")
      }
    }
  }

  private func add(_ type: String, to stream: StreamName, schema: Int64 = 1, kind: String? = nil) throws {
    _ = try log.append([
      EventDraft(
        id: EventID("random/\(number)"), stream: stream, type: type, schema: schema, kind: kind, occurredAt: 1,
        data: Array("{}".utf8))
    ])
  }
}

/// The same numbers for the same seed.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}

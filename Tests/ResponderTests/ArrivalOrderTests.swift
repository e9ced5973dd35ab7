import Contracts
import EventLog
import JSON
import TestSupport
import Testing

@testable import Responder

@Suite("What Apple says of one purchase, in any order of arrival") struct ArrivalOrderTests {
  /// One notification, as Apple signed it.
  private struct Notice {
    var type: String
    var subtype: String?
    var number: Int
    var signedAt: Int64
    var account: String?
    /// Of a refund; the same for two that tell of one decision.
    var revocationDate: Int64?
    var percentage: Int64?
  }

  private static let accounts = [Story.account, "99999999-6c11-4a39-9a55-0c1f2f6a7d10"]
  private static let kinds: [(String, String?)] = [
    ("CONSUMPTION_REQUEST", nil), ("CONSUMPTION_REQUEST", nil), ("REFUND", nil), ("REFUND", nil), ("REFUND", "SEATS"),
    ("REFUND_DECLINED", nil), ("REFUND_REVERSED", nil), ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"),
    ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"), ("REVOKE", nil), ("DID_RENEW", nil), ("OF_TOMORROW", nil),
  ]

  /// Several of them signed at one instant.
  private static func draw(_ random: inout SeededRandom) -> [Notice] {
    (1...Int.random(in: 2...10, using: &random)).map { number in
      let (type, subtype) = kinds.randomElement(using: &random)!
      let isRefund = type == "REFUND" && subtype == nil
      return Notice(
        type: type, subtype: subtype, number: number,
        signedAt: Story.start + Int64.random(in: 0...3, using: &random) * 1_000,
        account: random.isOne(in: 4) ? nil : accounts.randomElement(using: &random)!,
        revocationDate: isRefund || type == "REVOKE" ? Story.start + Int64.random(in: 0...2, using: &random) : nil,
        percentage: isRefund ? Int64.random(in: 1...100, using: &random) * 1_000 : nil)
    }
  }

  private func tell(_ notice: Notice, _ story: Story) throws {
    try story.notification(
      notice.type, subtype: notice.subtype, uuid: notice.number, signedAt: notice.signedAt, account: notice.account
    ) { transaction in
      transaction["price"] = .number(JSONNumber(Int64(notice.number)))
      transaction["revocationDate"] = notice.revocationDate.map { .number(JSONNumber($0)) }
      transaction["revocationPercentage"] = notice.percentage.map { .number(JSONNumber($0)) }
      if notice.percentage != nil { transaction["revocationType"] = "REFUND_PRORATED" }
    }
  }

  /// The case without what may depend on when something came: places in the log, and what we did until then.
  private func told(_ state: CaseState) -> CaseState {
    var told = state
    told.version = 0
    told.outcomes.sort()
    for index in told.decisions.indices { told.decisions[index].position = 0 }
    told.decisions.sort { $0.uuid < $1.uuid }
    for index in told.renewals.indices { told.renewals[index].position = 0 }
    for index in told.requests.indices {
      told.requests[index].attempts = []
      told.requests[index].withheld = nil
    }
    return told
  }

  @Test("gives the same case") func folded() throws {
    let seed = Effort.seed()
    print("orders of arrival from REFUNDLOG_SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    for round in 0..<Effort.pick(150, long: 3_000) {
      var notices = Self.draw(&random)
      let first = Story()
      for notice in notices { try tell(notice, first) }
      let expected = try first.state()
      for _ in 0..<4 {
        notices.shuffle(using: &random)
        let story = Story()
        for notice in notices { try tell(notice, story) }
        let state = try story.state()
        try #require(told(state) == told(expected), "round \(round), seed \(seed), \(notices)")
        try #require(state.outcome?.uuid == expected.outcome?.uuid, "round \(round), seed \(seed), \(notices)")
      }
    }
  }

  @Test("gives the same case and one Outcome for each decision, lived through while it comes") func lived() throws {
    let seed = Effort.seed()
    print("orders of arrival from REFUNDLOG_SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    for round in 0..<Effort.pick(60, long: 2_000) {
      var notices = Self.draw(&random)
      var expected: CaseState?
      for _ in 0..<3 {
        let words: Comment = "round \(round), seed \(seed), \(notices)"
        let story = Story()
        try story.policy()
        for account in Self.accounts { try story.consent(true, account: account) }
        try story.evidence(Story.facts)
        for notice in notices {
          try tell(notice, story)
          if random.isOne(in: 2) { try story.settle(at: Story.start + 60_000) }
        }
        // The windows of all requests close.
        try story.settle(at: Story.start + 14 * Story.hour)
        let state = try story.state()
        try #require(!state.isOpen && state.requests.allSatisfy(\.hasEnded), words)
        let ids = state.decisions.map { $0.outcomeID(of: story.key) }
        try #require(state.outcomes.count == Set(ids).count && Set(state.outcomes) == Set(ids), words)
        try #require(told(state) == told(expected ?? state), words)
        try #require(state.phase == (expected ?? state).phase || state.outcome == nil, words)
        expected = state
        notices.shuffle(using: &random)
      }
    }
  }
}

extension Story {
  /// Does what the judge says until nothing is left to do at that instant; the App Store takes every answer.
  func settle(at now: Int64) throws {
    for _ in 0..<200 {
      let step = try step(at: now)
      switch step {
      case .rest: return
      case .claim(let claim):
        try self.claim(claim.prepared)
        try sent(claim.prepared, at: now)
      case .withhold(let withheld): try add(withheld, .withheld, to: stream)
      case .recordOutcome(let outcome, let id, let notification):
        try add(EventDraft(outcome, id: id, stream: stream, app: nil, occurredAt: now, causation: notification))
      case .settleUnknown: throw NoClaim(step: step)
      }
    }
    Issue.record("there is always one more thing to do")
  }
}

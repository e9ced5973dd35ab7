import Contracts
import EventLog
import JSON
import Testing

@testable import Responder

@Suite("Attempts of a refund request are judged") struct AttemptJudgeTests {
  private static let start = Story.start
  private static let hour = Story.hour

  private func ready(_ values: EvidenceValues = Story.facts, statedAt: Int64 = start - hour) throws -> Story {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(values, statedAt: statedAt)
    try story.request()
    return story
  }

  @Test("an open claim rests until it must have ended, then counts as unknown") func openClaim() throws {
    let story = try ready()
    let prepared = try story.nextClaim().prepared
    #expect(prepared.sendBy == Self.start + 20_000)
    let claim = try story.claim(prepared)
    let unknownAt = prepared.sendBy + 35_000
    #expect(try story.step() == .rest(.appStore, until: unknownAt))
    #expect(try story.step(at: unknownAt - 1) == .rest(.appStore, until: unknownAt))
    guard case .settleUnknown(let request, let attempt) = try story.step(at: unknownAt) else {
      Issue.record("it counts as unknown")
      return
    }
    #expect(request == prepared.request)
    #expect(attempt.claim == claim)
    try story.failed(prepared, .unknown, retryAt: unknownAt)
    #expect(try story.nextClaim(at: unknownAt).prepared.attempt == 2)
  }

  @Test(
    "a failure that passes waits for its instant, and there is one more attempt before the window closes",
    arguments: [
      ConsumptionFailed.Failure.passing, .limit, .unknown,
    ])
  func retryAt(failure: ConsumptionFailed.Failure) throws {
    let story = try ready()
    let retryAt = Self.start + 60_000
    try story.claimNext { try story.failed($0, failure, retryAt: retryAt) }
    #expect(try story.step(at: retryAt - 1) == .rest(.appStore, until: retryAt))
    #expect(try story.nextClaim(at: retryAt).prepared.attempt == 2)
    let closed = Self.start + 12 * Self.hour
    try story.claimNext(at: retryAt) { try story.failed($0, failure, retryAt: closed + 1) }
    let lastCall = closed - 120_000
    #expect(try story.step(at: lastCall - 1) == .rest(.appStore, until: lastCall))
    try story.claimNext(at: lastCall) { try story.failed($0, failure, retryAt: closed + 1) }
    #expect(try story.step(at: lastCall + 1) == .rest(.appStore, until: closed))
    guard case .withhold(let withheld) = try story.step(at: closed) else {
      Issue.record("it ends when it closes")
      return
    }
    #expect(withheld.reason == .expired)
  }

  @Test("a refusal ends the request", arguments: [ConsumptionFailed.Failure.refused, .fixAndSend])
  func refused(failure: ConsumptionFailed.Failure) throws {
    let story = try ready()
    try story.claimNext { try story.failed($0, failure) }
    #expect(try story.step() == .rest(nil, until: nil))
    #expect(try !story.state().isOpen)
  }

  @Test("an answer ends the request, also one that comes after unknown") func answered() throws {
    let story = try ready()
    try story.claimNext {
      try story.failed($0, .unknown, retryAt: Self.start)
      #expect(try story.state().isOpen)
      try story.sent($0)
    }
    #expect(try story.step() == .rest(nil, until: nil))
    #expect(try !story.state().isOpen)
  }

  @Test("a second request for the same purchase gets a claim of its own") func secondRequest() throws {
    let story = try ready()
    try story.claimNext { try story.sent($0) }
    let second = try story.request(signedAt: Self.start + 5 * Self.hour)
    let prepared = try story.nextClaim(at: Self.start + 5 * Self.hour).prepared
    #expect(prepared.request == second)
    #expect(prepared.attempt == 2)
  }

  @Test("of two open requests the one that is due first is answered first") func twoOpen() throws {
    let story = try ready()
    let earlier = try story.request(signedAt: Self.start - Self.hour)
    #expect(try story.nextClaim().prepared.request == earlier)
  }

  @Test("and none is waited for that was claimed by a clock far ahead, which would hold the other up") func claimAhead()
    throws
  {
    let story = try ready()
    let later = Self.start + 6 * Self.hour
    let called = try story.nextClaim(at: later).prepared
    try story.claim(called)
    try story.request(signedAt: Self.start - Self.hour)
    let step = try story.step()
    guard case .settleUnknown(let request, _) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(request == called.request)
  }

  @Test("a renewal's call waits for that about the original purchase, which it rests on, as long as its window is open")
  func originalCalls() throws {
    let original = try ready()
    let renewal = Story(transactionID: "2000000000000009", log: original.log)
    try renewal.notification("CONSUMPTION_REQUEST", uuid: 9) {
      $0["originalTransactionId"] = .string(original.key.transactionID)
    }
    #expect(try renewal.nextClaim().prepared.attempt == 1)
    let called = try original.nextClaim().prepared
    try original.claim(called)
    #expect(try renewal.step() == .rest(.appStore, until: Self.start + 12 * Self.hour))
    try original.sent(called)
    #expect(try renewal.nextClaim().prepared.attempt == 1)
  }

  @Test("an answer that was refused for its share is sent again without it, once") func withoutShare() throws {
    let story = try ready()
    try story.evidence(Story.facts(share: 40_000))
    let first = try story.nextClaim().prepared
    #expect(first.body.contains("40000"))
    try story.claim(first)
    try story.failed(first, .fixAndSend)
    let second = try story.nextClaim().prepared
    #expect(!second.body.contains("consumptionPercentage"))
    #expect(second.sources["consumptionPercentage"]?.contains("refused") == true)
    try story.claim(second)
    try story.failed(second, .fixAndSend)
    #expect(try story.step() == .rest(nil, until: nil), "nothing else can be left out")
    try story.evidence(Story.facts(share: 50_000), statedAt: Self.start)
    #expect(try story.step() == .rest(nil, until: nil), "and no share is told of it any more")
  }

  @Test("there is one call about a purchase at a time, whichever request is due first") func oneCall() throws {
    let story = try ready()
    let called = try story.nextClaim().prepared
    try story.claim(called)
    let earlier = try story.request(signedAt: Self.start - Self.hour)
    #expect(try story.step() == .rest(.appStore, until: called.sendBy + 35_000))
    try story.sent(called)
    #expect(try story.nextClaim().prepared.request == earlier)
  }

  @Test("a claim expects every stream it rests on as it was read") func expecting() throws {
    let story = Story(transactionID: "2000000000000009")
    let original = try PurchaseKey(environment: "Production", transactionID: "2000000000000001")
    try story.policy()
    try story.statement("other")
    try story.consent(false, statedAt: 1)
    try story.consent(true)
    try story.evidence(Story.facts, of: original)
    try story.request { $0["originalTransactionId"] = "2000000000000001" }
    let claim = try story.nextClaim()
    #expect(
      claim.expecting == [
        story.stream: .exactly(1), story.appStream: .exactly(2), story.customerStream: .exactly(2),
        StreamName(original.stream): .exactly(1), StreamName("log"): .exactly(0),
      ])
    #expect(claim.prepared.endpointVersion == 2)
    #expect(claim.prepared.policy == Story.digest)
    #expect(claim.prepared.claimant == "test")
  }

  @Test("a claim by terms expects that the known customer has still said nothing") func expectingSilence() throws {
    let story = Story()
    try story.policy()
    try story.terms()
    try story.evidence(Story.facts)
    try story.request()
    #expect(try story.nextClaim().expecting[story.customerStream] == .exactly(0))
  }

  // MARK: The share used

  struct ShareRow: Sendable, CustomTestStringConvertible {
    let what: String
    var type = "Consumable"
    var delivery = "DELIVERED"
    var percentage: Int64?
    var units: (granted: Int64, used: Int64)?
    /// Before the request was signed.
    var age: Int64 = hour
    let share: Int64?
    var testDescription: String { what }
  }

  private static let shares = [
    ShareRow(what: "as stated", percentage: 94_000, share: 94_000),
    ShareRow(what: "nothing used, as stated", percentage: 0, share: 0),
    ShareRow(what: "all used, as stated", percentage: 100_000, share: 100_000),
    ShareRow(what: "from units", units: (1_000, 940), share: 94_000),
    ShareRow(what: "from units of a non-consumable", type: "Non-Consumable", units: (3, 1), share: 33_333),
    ShareRow(what: "more units used than granted", units: (10, 11), share: nil),
    ShareRow(what: "of no units", units: (0, 0), share: nil),
    ShareRow(what: "a day old", percentage: 5_000, age: 24 * hour, share: 5_000),
    ShareRow(what: "older than a day", percentage: 5_000, age: 24 * hour + 1, share: nil),
    ShareRow(what: "units older than a day", units: (10, 5), age: 24 * hour + 1, share: nil),
    ShareRow(what: "of a subscription", type: "Auto-Renewable Subscription", percentage: 5_000, share: nil),
    ShareRow(what: "of a type that is new", type: "Lease", percentage: 5_000, share: nil),
    ShareRow(what: "not delivered", delivery: "UNDELIVERED_OTHER", percentage: 5_000, share: nil),
    ShareRow(what: "not stated", share: nil),
  ]

  @Test("the share used is said where somebody stated it lately, and Apple takes it", arguments: shares)
  func share(row: ShareRow) throws {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(
      EvidenceValues(
        deliveryStatus: DeliveryStatusWord(row.delivery), consumptionPercentage: row.percentage,
        sampleContentProvided: false, unitsGranted: row.units?.granted, unitsUsed: row.units?.used),
      statedAt: Self.start - row.age)
    try story.request { $0["type"] = .string(row.type) }
    let prepared = try story.nextClaim().prepared
    let share = row.share.map { #","consumptionPercentage":\#($0)"# } ?? ""
    #expect(
      prepared.body
        == #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"\#(row.delivery)"\#(share)}"#)
    #expect(try AppleRules.objections(to: prepared.body, productType: row.type) == [])
    #expect(prepared.sources["consumptionPercentage"]?.hasPrefix("left out") == (row.share == nil))
  }

  @Test("every body that is ever claimed is one Apple takes") func everyBody() throws {
    let types = ["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription", "Lease"]
    let deliveries = [
      "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
      "UNDELIVERED_OTHER",
    ]
    var claims = 0
    for type in types {
      for delivery in deliveries {
        for percentage in [nil, 0, 1, 50_000, 99_999, 100_000] as [Int64?] {
          for used in [nil, 0, 7, 10, 11] as [Int64?] {
            let story = Story()
            try story.policy()
            try story.consent(true)
            try story.evidence(
              EvidenceValues(
                deliveryStatus: DeliveryStatusWord(delivery), consumptionPercentage: percentage,
                sampleContentProvided: used == nil, unitsGranted: used == nil ? nil : 10, unitsUsed: used))
            try story.request { $0["type"] = .string(type) }
            let body = try story.nextClaim().prepared.body
            let objections = try AppleRules.objections(to: body, productType: type)
            #expect(objections == [], "\(body) for \(type)")
            claims += 1
          }
        }
      }
    }
    #expect(claims == 750)
  }

  @Test("a delivery in words that are new is no fact yet") func newWord() throws {
    let story = try ready(
      EvidenceValues(deliveryStatus: DeliveryStatusWord("DELIVERED_TWICE"), sampleContentProvided: false))
    #expect(try story.step() == .rest(.facts(["deliveryStatus"]), until: Self.start + 12 * Self.hour))
  }

  // MARK: Outcomes

  @Test("a decision names the answers that stood before it, and no other claim") func answersOfOutcome() throws {
    let story = try ready()
    try story.claimNext { try story.failed($0, .passing, retryAt: Self.start) }
    var taken = ""
    try story.claimNext {
      taken = EventIDs.claim(story.key, attempt: $0.attempt)
      try story.sent($0)
    }
    let late = try story.request(signedAt: Self.start + 1)
    try story.notification("REFUND_DECLINED", signedAt: Self.start + 2 * Self.hour)
    // A claim made by a responder that had not read the decision yet.
    var third = try #require(story.state().requests.first?.attempts.last)
    third.number += 1
    try story.claim(
      ConsumptionPrepared(
        request: late, attempt: third.number, endpointVersion: 2, body: "{}", rule: "default", policy: Story.digest,
        basis: "b", sources: [:], claimant: "other", sendBy: 1, late: false))
    guard case .recordOutcome(let outcome, let id, _) = try story.step(at: Self.start + 3 * Self.hour) else {
      Issue.record("the decision is recorded")
      return
    }
    #expect(outcome.answers == [taken])
    #expect(outcome.decision == .declined)
    #expect(outcome.request == late)
    #expect(outcome.decidedAt == Self.start + 2 * Self.hour)
    #expect(id.hasPrefix("outcome/Production/2000000000000001/declined/5a000000-"))
  }

  @Test(
    "a refund tells its extent, and is one decision with one revocation date",
    arguments: [
      ("REFUND_FULL", nil, Outcome.Extent.full), ("REFUND_PRORATED", nil, .prorated), (nil, nil, .unknown),
      ("REFUND_FULL", "SEATS", .seats),
    ] as [(String?, String?, Outcome.Extent)])
  func extent(type: String?, subtype: String?, expected: Outcome.Extent) throws {
    let story = Story()
    for uuid in [1, 2] {
      try story.notification("REFUND", subtype: subtype, uuid: uuid, signedAt: Self.start + Int64(uuid)) {
        $0["revocationType"] = type.map { .string($0) }
        $0["revocationDate"] = 1_795_999_999_999
        $0["revocationPercentage"] = 45_333
      }
    }
    guard case .recordOutcome(let outcome, let id, let notification) = try story.step() else {
      Issue.record("the decision is recorded")
      return
    }
    #expect(outcome.decision == .refunded(expected))
    #expect(outcome.percentage == 45_333)
    #expect(id == "outcome/Production/2000000000000001/refunded/1795999999999")
    try story.add(EventDraft(outcome, id: id, stream: story.stream, app: nil, occurredAt: 1, causation: notification))
    #expect(try story.step() == .rest(nil, until: nil), "announced twice it is still one")
  }
}

extension Story {
  /// Appends the claim that comes next and what becomes of it.
  func claimNext(at now: Int64 = start, _ result: (ConsumptionPrepared) throws -> Void) throws {
    let prepared = try nextClaim(at: now).prepared
    try claim(prepared)
    try result(prepared)
  }
}

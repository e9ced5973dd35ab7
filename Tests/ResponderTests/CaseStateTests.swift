import Contracts
import EventLog
import JSON
import Testing

@testable import Responder

@Suite("A case is folded from its stream") struct CaseStateTests {
  private static let start = Story.start

  @Test("taking what an older notification says without undoing a newer") func outOfOrder() throws {
    let other = "99999999-6c11-4a39-9a55-0c1f2f6a7d10"
    let story = Story()
    try story.notification("REFUND", signedAt: Self.start + 10) { $0["price"] = 500 }
    try story.notification("CONSUMPTION_REQUEST", signedAt: Self.start, account: other) {
      $0["price"] = 400
      $0["productId"] = "old"
    }
    let state = try story.state()
    #expect(state.purchase?.price == 500)
    #expect(state.purchase?.productID == "gems")
    #expect(state.customer == story.customer, "an older notification does not change whose purchase it is")
    #expect(state.outcome?.kind == .refunded)
    #expect(state.requests.count == 1)
  }

  struct OutcomeRow: Sendable, CustomTestStringConvertible {
    let said: [(type: String, signedAt: Int64)]
    let kind: CaseOutcome.Kind
    var testDescription: String { "\(said.map(\.type)) is \(kind)" }
  }

  @Test(
    "with the newest decision by signing, whatever the order of arrival",
    arguments: [
      OutcomeRow(said: [("REFUND", 0), ("REFUND_REVERSED", 5)], kind: .reversed),
      OutcomeRow(said: [("REFUND_REVERSED", 5), ("REFUND", 0)], kind: .reversed),
      OutcomeRow(said: [("REFUND_DECLINED", 5), ("REFUND", 5)], kind: .refunded),
      OutcomeRow(said: [("REFUND", 5), ("REFUND_DECLINED", 5)], kind: .refunded),
      OutcomeRow(said: [("REFUND", 0), ("REFUND_REVERSED", 5), ("REFUND", 9)], kind: .refunded),
      OutcomeRow(said: [("REFUND_DECLINED", 9), ("REFUND", 5)], kind: .declined),
      OutcomeRow(said: [("REFUND_REVERSED", 5), ("REFUND", 5)], kind: .reversed),
      OutcomeRow(said: [("REFUND", 5), ("REFUND_REVERSED", 5)], kind: .reversed),
    ])
  func outcome(row: OutcomeRow) throws {
    let story = Story()
    for said in row.said { try story.notification(said.type, signedAt: Self.start + said.signedAt) }
    let state = try story.state()
    #expect(state.outcome?.kind == row.kind)
    #expect(state.decisions.count == row.said.count, "all are kept")
  }

  @Test("with what was taken back where a refund and something else were signed at one instant") func oneInstant()
    throws
  {
    for types in [["REFUND", "REFUND_DECLINED"], ["REFUND_DECLINED", "REFUND"]] {
      let story = Story()
      for type in types { try story.notification(type) { $0["price"] = type == "REFUND" ? 1 : 2 } }
      #expect(try story.state().purchase?.price == 1)
    }
    for order in [[1, 2], [2, 1]] {
      let story = Story()
      for number in order {
        try story.notification("CONSUMPTION_REQUEST", uuid: number) { $0["price"] = .number(JSONNumber(Int64(number))) }
      }
      let state = try story.state()
      #expect(state.purchase?.price == 2)
      #expect(state.requests.map(\.id).sorted() == state.requests.map(\.id))
    }
  }

  @Test("with its refund requests by the instant Apple signed them") func requests() throws {
    let story = Story()
    for after in [5, 1, 9] as [Int64] { try story.request(signedAt: Self.start + after) }
    #expect(try story.state().requests.map(\.signedAt) == [1, 5, 9].map { Self.start + $0 })
  }

  /// A refund that reconciliation found and no notification announced.
  private func found(_ story: Story, revocationDate: Int64) throws {
    try story.add(
      EventDraft(
        Outcome(
          decision: .refunded(.full), decidedAt: revocationDate, source: .refundHistory, answers: [],
          revocationDate: revocationDate), id: EventIDs.outcome(story.key, refundedAt: revocationDate),
        stream: story.stream, app: Story.bundleID, occurredAt: revocationDate))
  }

  @Test("with a refund that was only found in refund history, as with one that was announced", arguments: [0, 1, 2])
  func refundHistory(way: Int) throws {
    let date = Self.start + 5
    let story = Story()
    try story.request()
    if way != 1 { try found(story, revocationDate: date) }
    if way > 0 {
      try story.notification("REFUND", signedAt: Self.start + 6) {
        $0["revocationDate"] = .number(JSONNumber(date))
        $0["revocationType"] = "REFUND_FULL"
      }
      if way == 1 {
        try story.settle(at: Self.start + 9)
        try found(story, revocationDate: date)
      }
    }
    try story.settle(at: Self.start + 10)
    let state = try story.state()
    #expect(state.outcome?.kind == .refunded && state.outcome?.extent == "full")
    #expect(state.distinctDecisions.count == 1 && state.outcomes.count == 1, "it is one decision")
    #expect(state.requests.first?.withheld?.reason == "alreadyDecided")
    #expect(!state.isOpen)
  }

  @Test("without a share that cannot be one, so that every Outcome can be read", arguments: [-1, 100_001] as [Int64])
  func share(percentage: Int64) throws {
    let story = Story()
    try story.notification("REFUND") { $0["revocationPercentage"] = .number(JSONNumber(percentage)) }
    guard case .recordOutcome(let outcome, _, _) = try story.step() else {
      Issue.record("a decision is recorded")
      return
    }
    #expect(try Outcome(data: outcome.encoded()).percentage == nil)
  }

  @Test("with the newest value of each member of evidence, by its author's time") func evidence() throws {
    let story = Story()
    try story.evidence(Story.facts(share: 5_000), statedAt: 100)
    try story.evidence(EvidenceValues(consumptionPercentage: 1_000, unitsGranted: 10, unitsUsed: 1), statedAt: 50)
    try story.evidence(EvidenceValues(sampleContentProvided: true, unitsGranted: 10), statedAt: 200)
    let evidence = try story.state().evidence(of: Story.bundleID)
    #expect(evidence.consumptionPercentage?.value == 5_000)
    #expect(evidence.deliveryStatus?.value == "DELIVERED")
    #expect(evidence.sampleContentProvided?.value == true)
    #expect(
      evidence.unitsGranted?.value == 10 && evidence.unitsUsed?.value == 1, "each member for itself")
    #expect(evidence.unitsUsed?.by == "backend")
    try story.evidence(Story.facts(share: 6_000), statedAt: 100)
    #expect(
      try story.state().evidence(of: Story.bundleID).consumptionPercentage?.value == 6_000,
      "at the same time the later in the log")
  }

  @Test("with results that win after unknown, and with nothing undone by a later one") func results() throws {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts)
    try story.request()
    let prepared = try story.nextClaim().prepared
    try story.claim(prepared)
    #expect(try story.state().requests[0].openAttempt?.number == 1)
    try story.failed(prepared, .unknown, retryAt: 7)
    #expect(try story.state().requests[0].retryAt == 7)
    try story.sent(prepared)
    #expect(try story.state().requests[0].isAnswered)
    try story.failed(prepared, .passing, retryAt: 9)
    #expect(try story.state().requests[0].isAnswered)
    #expect(try story.state().attempts == 1)
  }

  @Test("with the end of a request") func withheld() throws {
    let story = Story()
    let request = try story.request()
    try story.add(
      EventDraft(
        ConsumptionWithheld(request: request, reason: .policy, explanation: "told"), id: "withheld/1",
        stream: story.stream, app: nil, occurredAt: 5))
    let state = try story.state()
    #expect(state.requests[0].withheld == RefundRequest.Withheld(reason: "policy", at: 5))
    #expect(!state.isOpen)
  }

  @Test("passing events it does not know, of newer shapes where they say nothing here, and erased ones")
  func unknown() throws {
    let story = Story()
    let request = try story.request()
    let before = try story.state()
    try story.add(
      EventDraft(
        id: EventID("new/1"), stream: story.stream, type: "SomethingNew", occurredAt: 1, data: Array("[]".utf8)))
    try story.add(
      EventDraft(
        id: EventID("access/9"), stream: story.stream, type: "AccessConfirmed", schema: 2, occurredAt: 1,
        data: Array("{}".utf8)))
    for (number, type) in ["AccessConfirmed", "AlarmRaised", "AccessConfirmed"].enumerated() {
      try story.add(
        EventDraft(id: EventID("x/\(number)"), stream: story.stream, type: type, occurredAt: 1, data: Array("{}".utf8)))
    }
    try story.notification("SUBSCRIBED", signedAt: 1)
    var state = try story.state()
    #expect(state.version == before.version + 6)
    state.version = before.version
    #expect(state == before)
    _ = try story.log.erase([EventID(request)])
    #expect(try story.state().requests.isEmpty)
  }

  @Test("or not at all where an event cannot be read, and then stays as it was") func unreadable() throws {
    let story = Story()
    try story.request()
    var state = try story.state()
    let before = state
    try story.add(
      EventDraft(
        id: EventID("evidence/1"), stream: story.stream, type: "EvidenceRecorded", occurredAt: 1, data: Array("{}".utf8)
      ))
    let event = try #require(try story.log.read(id: EventID("evidence/1")))
    #expect(throws: ContractError.self) { try state.fold(event) }
    #expect(state == before)
  }

  @Test("not at all from one that a newer release wrote, where it might count, and the error says so")
  func newer() throws {
    let story = Story()
    try story.request()
    try story.add(
      EventDraft(
        EvidenceRecorded(
          bundleID: Story.bundleID, purchase: story.key, statedAt: 1, by: "backend", statement: .values(Story.facts)),
        id: "evidence/1", stream: story.stream, app: nil, occurredAt: 1
      ).ofSchema(2))
    var state = CaseState(story.key)
    let events = try story.log.read(stream: story.stream, after: 0, limit: 9)
    try state.fold(events[0])
    let before = state
    let error = #expect(throws: ContractError.self) { try state.fold(events[1]) }
    #expect(error?.found == "version 2" && error?.allowed.contains("newer release") == true)
    #expect(state == before)
    // An app and a customer are no different.
    for type in [EventType.policyLoaded, .consentRecorded] {
      try story.add(
        EventDraft(
          id: EventID("x/\(type.rawValue)"), stream: StreamName("x"), type: type.rawValue, schema: 9, occurredAt: 1,
          data: Array("{}".utf8)))
    }
    let further = try story.log.read(stream: StreamName("x"), after: 0, limit: 9)
    var (app, customer) = (AppState(), CustomerState())
    #expect(throws: ContractError.self) { try app.fold(further[0]) }
    #expect(throws: ContractError.self) { try customer.fold(further[1]) }
  }

  @Test("the same from an event of an older version, which is brought to the newest first") func older() throws {
    // Versions that were not: evidence once stood beside `statedBy`, a consent beside `agreed`, a policy beside `sha256`.
    let upcasters = Upcasters(
      [
        Upcaster(.evidenceRecorded, from: 1) { $0.renaming("statedBy", to: "by") },
        Upcaster(.evidenceRecorded, from: 2) { $0.renaming("said", to: "values") },
        Upcaster(.consentRecorded, from: 1) { $0.renaming("agreed", to: "granted") },
        Upcaster(.policyLoaded, from: 1) { $0.renaming("sha256", to: "digest") },
      ], newest: [.evidenceRecorded: 3, .consentRecorded: 2, .policyLoaded: 2])
    let newest = Story()
    try newest.evidence(Story.facts(share: 5_000))
    try newest.consent(true)
    try newest.policy()
    let older = Story()
    for event in try newest.log.read(after: .start, limit: 9) {
      var draft = event.draft
      let members = try #require(JSONValue(bytes: draft.data).object)
      switch event.type {
      case "EvidenceRecorded":
        draft.data = JSONValue.object(members.renaming("by", to: "statedBy").renaming("values", to: "said")).bytes()
      case "ConsentRecorded": draft.data = JSONValue.object(members.renaming("granted", to: "agreed")).bytes()
      default: draft.data = JSONValue.object(members.renaming("digest", to: "sha256")).bytes()
      }
      try older.add(draft)
    }
    let (old, new) = (
      try older.log.read(after: .start, limit: 9), try newest.log.read(after: .start, limit: 9)
    )
    var folded = (CaseState(older.key), CustomerState(), AppState())
    try folded.0.fold(old[0], by: upcasters)
    try folded.1.fold(old[1], by: upcasters)
    try folded.2.fold(old[2], by: upcasters)
    var expected = (CaseState(newest.key), CustomerState(), AppState())
    try expected.0.fold(new[0])
    try expected.1.fold(new[1])
    try expected.2.fold(new[2])
    #expect(folded == expected)
    #expect(folded.0.evidence(of: Story.bundleID).consumptionPercentage?.value == 5_000)
    #expect(folded.1.consent?.granted == true && folded.2.policy?.digest == Story.digest)
    // Without the steps they are what they are: no such events.
    var without = CaseState(older.key)
    #expect(throws: ContractError.self) { try without.fold(old[0]) }
  }

  @Test(
    "opens for Apple's words on refunds alone",
    arguments: [
      ("CONSUMPTION_REQUEST", true), ("REFUND", true), ("REFUND/SEATS", true), ("REFUND_DECLINED", true),
      ("REFUND_REVERSED", true), ("REVOKE", false), ("UNCLAIM_SEATS", false), ("SUBSCRIBED/INITIAL_BUY", false),
      ("TEST", false), ("SOMETHING_NEW", false), (nil, false),
    ] as [(String?, Bool)])
  func opens(kind: String?, expected: Bool) { #expect(CaseState.opensCase(kind: kind) == expected) }
}

extension EventDraft {
  /// The same, as a release would write it whose version of the type that is.
  func ofSchema(_ schema: Int64) -> Self {
    var draft = self
    draft.schema = schema
    return draft
  }
}

extension JSONObject {
  func renaming(_ old: String, to new: String) -> Self {
    var members = self
    members[new] = members[old]
    members[old] = nil
    return members
  }
}

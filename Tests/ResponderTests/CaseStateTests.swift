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
    ])
  func outcome(row: OutcomeRow) throws {
    let story = Story()
    for said in row.said { try story.notification(said.type, signedAt: Self.start + said.signedAt) }
    let state = try story.state()
    #expect(state.outcome?.kind == row.kind)
    #expect(state.decisions.count == row.said.count, "all are kept")
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

  @Test("passing events it does not know, of newer shapes, and erased ones") func unknown() throws {
    let story = Story()
    let request = try story.request()
    let before = try story.state()
    try story.add(
      EventDraft(
        id: EventID("new/1"), stream: story.stream, type: "SomethingNew", occurredAt: 1, data: Array("[]".utf8)))
    try story.add(
      EventDraft(
        id: EventID("evidence/9"), stream: story.stream, type: "EvidenceRecorded", schema: 2, occurredAt: 1,
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

  @Test(
    "opens for Apple's words on refunds alone",
    arguments: [
      ("CONSUMPTION_REQUEST", true), ("REFUND", true), ("REFUND/SEATS", true), ("REFUND_DECLINED", true),
      ("REFUND_REVERSED", true), ("REVOKE", false), ("UNCLAIM_SEATS", false), ("SUBSCRIBED/INITIAL_BUY", false),
      ("TEST", false), ("SOMETHING_NEW", false), (nil, false),
    ] as [(String?, Bool)])
  func opens(kind: String?, expected: Bool) { #expect(CaseState.opensCase(kind: kind) == expected) }
}

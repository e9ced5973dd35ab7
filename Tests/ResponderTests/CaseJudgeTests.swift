import Contracts
import EventLog
import JSON
import Testing

@testable import Responder

@Suite("A refund request") struct CaseJudgeTests {
  private let start = Bench.start
  private let closed = Bench.start + 12 * Bench.hour

  @Test("is claimed with consent and facts, resting on every stream it was decided by")
  func claim() throws {
    var bench = try Bench()
    bench.consent()
    try bench.evidence(EvidenceValues(unitsGranted: 1000, unitsUsed: 940))
    guard case .claim(let claim) = bench.judge() else {
      Issue.record("\(bench.judge())")
      return
    }
    #expect(
      claim.prepared.body
        == #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","consumptionPercentage":94000}"#
    )
    #expect(claim.prepared.request == "notification/r1" && claim.prepared.attempt == 1)
    #expect(claim.prepared.basis == "consent/1" && claim.prepared.policy == Bench.policy)
    #expect(claim.prepared.endpointVersion == 2 && claim.prepared.late == false)
    #expect(claim.prepared.sendBy == start + 20_000)
    #expect(
      claim.expecting == [
        bench.state.stream: .exactly(2), StreamName("customer/\(Bench.customer)"): .exactly(1),
        StreamName("app/com.example"): .exactly(3),
      ])
    #expect(claim.prepared.sources["consumptionPercentage"]?.contains("940 used of 1000") == true)
  }

  @Test("waits for consent until it closes, and ends as noConsent then", arguments: [nil, false] as [Bool?])
  func noConsent(granted: Bool?) throws {
    var bench = try Bench()
    if let granted { bench.consent(granted) }
    #expect(bench.judge() == .rest(.consent, until: closed))
    #expect(bench.judge(at: closed - 1) == .rest(.consent, until: closed))
    #expect(bench.withheld(at: closed) == .noConsent)
  }

  @Test("rests on declared terms only where they cover the purchase")
  func terms() throws {
    func basis(from: Int64, unidentified: Bool) -> AppState.Basis {
      .init(
        kind: "terms", textVersion: "7", effectiveFrom: from, optOut: "settings", coversUnidentified: unidentified,
        event: "basis/1")
    }
    let purchased = start - 24 * Bench.hour
    var bench = try Bench()
    bench.app.basis = basis(from: purchased, unidentified: false)
    #expect(bench.claimed()?.basis == "basis/1")
    bench.app.basis = basis(from: purchased + 1, unidentified: false)
    #expect(bench.judge() == .rest(.consent, until: closed))
    // Nobody known: only where the declaration says so expressly.
    bench.customerState = nil
    bench.app.basis = basis(from: purchased, unidentified: false)
    #expect(bench.judge() == .rest(.consent, until: closed))
    bench.app.basis = basis(from: purchased, unidentified: true)
    #expect(bench.claimed()?.basis == "basis/1")
    // The customer's own withdrawal beats any declaration.
    bench.customerState = CustomerState()
    bench.consent(false)
    #expect(bench.judge() == .rest(.consent, until: closed))
    bench.app.basis?.kind = "optIn"
    bench.customerState = CustomerState()
    #expect(bench.judge() == .rest(.consent, until: closed))
  }

  @Test("waits for the facts that nobody stated, by name")
  func facts() throws {
    var bench = try Bench()
    bench.consent()
    bench.app.statements = [:]
    #expect(bench.judge() == .rest(.facts(["deliveryStatus", "sampleContentProvided"]), until: closed))
    try bench.evidence(EvidenceValues(deliveryStatus: DeliveryStatusWord("DELIVERED")))
    #expect(bench.judge() == .rest(.facts(["sampleContentProvided"]), until: closed))
    #expect(bench.withheld(at: closed) == .noFacts)
    try bench.evidence(EvidenceValues(sampleContentProvided: true))
    #expect(bench.claimed()?.body.contains(#""sampleContentProvided":true"#) == true)
  }

  @Test("prefers what was stated of the purchase to what was declared of the product")
  func precedence() throws {
    var bench = try Bench()
    bench.consent()
    bench.app.statements["com.example.coins"] = .init(
      deliveryStatus: "UNDELIVERED_OTHER", sampleContentProvided: true, by: "settings", event: "statement/2")
    #expect(bench.claimed()?.body.contains("UNDELIVERED_OTHER") == true)
    try bench.evidence(EvidenceValues(deliveryStatus: DeliveryStatusWord("UNDELIVERED_SERVER_OUTAGE")))
    #expect(
      bench.claimed()?.body
        == #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"UNDELIVERED_SERVER_OUTAGE"}"#)
  }

  @Test(
    "tells a share only where it was stated, is fresh, and means something",
    arguments: [
      ("Consumable", EvidenceValues(consumptionPercentage: 0), 0, ",\"consumptionPercentage\":0"),
      ("Non-Consumable", EvidenceValues(consumptionPercentage: 100_000), 0, ",\"consumptionPercentage\":100000"),
      (
        "Non-Renewing Subscription", EvidenceValues(unitsGranted: 3, unitsUsed: 1), 0,
        ",\"consumptionPercentage\":33333"
      ),
      ("Consumable", EvidenceValues(unitsGranted: 3, unitsUsed: 4), 0, ""),
      ("Consumable", EvidenceValues(unitsGranted: 0, unitsUsed: 0), 0, ""),
      ("Consumable", EvidenceValues(consumptionPercentage: 5), 24 * Bench.hour, ",\"consumptionPercentage\":5"),
      ("Consumable", EvidenceValues(consumptionPercentage: 5), 24 * Bench.hour + 1, ""),
      ("Consumable", EvidenceValues(unitsGranted: 10, unitsUsed: 5), 24 * Bench.hour + 1, ""),
      ("Auto-Renewable Subscription", EvidenceValues(consumptionPercentage: 0), 0, ""),
      ("Something New", EvidenceValues(consumptionPercentage: 5), 0, ""),
      (
        "Consumable", EvidenceValues(deliveryStatus: DeliveryStatusWord("UNDELIVERED_OTHER"), consumptionPercentage: 5),
        0, ""
      ),
    ])
  func share(productType: String, values: EvidenceValues, age: Int64, end: String) throws {
    var bench = try Bench(productType: productType)
    bench.consent()
    try bench.evidence(values, statedAt: start - age)
    let delivery = values.deliveryStatus?.text ?? "DELIVERED"
    #expect(
      bench.claimed()?.body
        == #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"\#(delivery)"\#(end)}"#)
    #expect(bench.claimed()?.sources["consumptionPercentage"] != nil)
  }

  @Test("of a purchase the backend does not know is not answered by declarations")
  func unknownPurchase() throws {
    var bench = try Bench()
    bench.consent()
    try bench.fold(
      EvidenceRecorded(
        bundleID: "com.example", purchase: bench.state.key, statedAt: start, by: "backend", statement: .unknownPurchase),
      id: "evidence/1")
    #expect(bench.judge() == .rest(.purchaseKnown, until: closed))
    #expect(bench.withheld(at: closed) == .unknownPurchase)
  }

  @Test(
    "that Apple takes no answer for is withheld at once",
    arguments: [
      #","inAppOwnershipType":"FAMILY_SHARED""#, #","inAppOwnershipType":"ASSIGNED""#, #","advancedCommerceInfo":{}"#,
    ])
  func notAnswerable(member: String) throws {
    var bench = try Bench(more: member)
    bench.consent()
    #expect(bench.withheld() == .notAnswerable)
  }

  @Test("is late after due, sent until closed, and expired from then on")
  func window() throws {
    var bench = try Bench()
    bench.consent()
    let due = closed - 600_000
    #expect(bench.claimed(at: due - 1)?.late == false)
    #expect(bench.claimed(at: due)?.late == true)
    #expect(bench.claimed(at: closed - 1)?.late == true)
    #expect(bench.withheld(at: closed) == .expired)
    var sandbox = try Bench(environment: "Sandbox")
    sandbox.consent()
    #expect(sandbox.claimed(at: start + 299_999)?.late == false && sandbox.claimed(at: start + 300_000)?.late == true)
    #expect(sandbox.claimed(at: closed - 1) != nil)
  }

  @Test("counts its window from first receipt and its due from the earlier of both")
  func receipt() throws {
    let request = RefundRequest(id: "x", signedAt: start, receivedAt: start + Bench.hour)
    let window = Window(request, environment: "Production")
    #expect(window.due == start + 12 * Bench.hour - 600_000 && window.closed == start + 13 * Bench.hour)
    let early = Window(RefundRequest(id: "x", signedAt: start, receivedAt: start - 1_000), environment: "Production")
    #expect(early.due == start - 1_000 + 12 * Bench.hour - 600_000)
    #expect(window.stale == start + 168 * Bench.hour)
  }

  @Test("signed more than seven days ago is never answered, whenever it came")
  func stale() throws {
    var bench = try Bench()
    bench.state.requests = []
    try bench.request(uuid: "r2", signedAt: start, receivedAt: start + 167 * Bench.hour)
    bench.consent()
    #expect(bench.claimed(at: start + 168 * Bench.hour - 1) != nil)
    #expect(bench.withheld(at: start + 168 * Bench.hour) == .expired)
  }

  @Test("with a claim rests until the claim counts as unknown, then settles it before anything else")
  func openClaim() throws {
    var bench = try Bench()
    bench.consent()
    let prepared = try #require(bench.claimed())
    try bench.claim(prepared)
    let unknownAt = prepared.sendBy + 35_000
    #expect(bench.judge() == .rest(.appStore, until: unknownAt))
    #expect(bench.judge(at: unknownAt - 1) == .rest(.appStore, until: unknownAt))
    guard case .settleUnknown(let request, let attempt) = bench.judge(at: unknownAt) else {
      Issue.record("not settled")
      return
    }
    #expect(request == "notification/r1" && attempt.number == 1)
    try bench.fail(.unknown, retryAt: unknownAt)
    #expect(bench.claimed(at: unknownAt)?.attempt == 2)
  }

  @Test("is tried again from the instant its failure names, and ends with a refusal or an acceptance")
  func results() throws {
    func claimed() throws -> Bench {
      var bench = try Bench()
      bench.consent()
      try bench.claim(try #require(bench.claimed()))
      return bench
    }
    var passing = try claimed()
    try passing.fail(.passing, retryAt: start + 5_000)
    #expect(passing.judge(at: start + 4_999) == .rest(.appStore, until: start + 5_000))
    #expect(passing.claimed(at: start + 5_000)?.attempt == 2)
    var refused = try claimed()
    try refused.fail(.refused)
    #expect(refused.judge(at: start + 5_000) == .rest(nil, until: nil))
    #expect(refused.judge(at: closed) == .rest(nil, until: nil))
    var answered = try claimed()
    try answered.send()
    #expect(answered.judge(at: closed) == .rest(nil, until: nil))
    // A result that comes after unknown wins.
    var late = try claimed()
    try late.fail(.unknown, retryAt: start)
    try late.send()
    #expect(late.state.requests[0].isAnswered && late.judge() == .rest(nil, until: nil))
    try late.fail(.passing, retryAt: start)
    #expect(late.state.requests[0].isAnswered, "an acceptance is not overwritten")
  }

  @Test("that comes again for the same purchase has a claim of its own")
  func second() throws {
    var bench = try Bench()
    bench.consent()
    try bench.claim(try #require(bench.claimed()))
    try bench.send()
    try bench.request(uuid: "r2", signedAt: start + 5 * Bench.hour)
    let prepared = try #require(bench.claimed(at: start + 5 * Bench.hour))
    #expect(prepared.request == "notification/r2" && prepared.attempt == 2)
  }

  @Test("that Apple has decided already is withheld; an older decision leaves it open")
  func decided() throws {
    var bench = try Bench()
    bench.consent()
    try bench.notify("REFUND_DECLINED", uuid: "d1", signedAt: start - 1)
    try recordOutcome(&bench)
    #expect(bench.claimed() != nil)
    try bench.notify("REFUND_DECLINED", uuid: "d2", signedAt: start)
    try recordOutcome(&bench)
    #expect(bench.withheld() == .alreadyDecided)
  }

  private func recordOutcome(_ bench: inout Bench) throws {
    guard case .recordOutcome(let outcome, let id, _) = bench.judge() else {
      Issue.record("no outcome is due")
      return
    }
    try bench.fold(outcome, id: id)
  }

  @Test("waits while no policy was loaded")
  func policy() throws {
    var bench = try Bench()
    bench.consent()
    bench.app.policy = nil
    #expect(bench.judge() == .rest(.policy, until: closed))
  }
}

@Suite("An outcome") struct OutcomeTests {
  @Test("is recorded once per decision, with extent, percentage and what had been said")
  func recording() throws {
    var bench = try Bench()
    bench.consent()
    try bench.claim(try #require(bench.claimed()))
    try bench.send()
    try bench.notify(
      "REFUND", uuid: "D1", signedAt: Bench.start + 1,
      transaction: #","revocationDate":1794301200500,"revocationType":"REFUND_PRORATED","revocationPercentage":45333"#)
    guard case .recordOutcome(let outcome, let id, let notification) = bench.judge() else {
      Issue.record("no outcome is due")
      return
    }
    #expect(id == "outcome/Production/2000000000000001/refunded/1794301200500" && notification == "notification/D1")
    #expect(outcome.decision == .refunded(.prorated) && outcome.percentage == 45_333)
    #expect(outcome.answers == ["claim/Production/2000000000000001/1"] && outcome.request == "notification/r1")
    try bench.fold(outcome, id: id)
    #expect(bench.judge() == .rest(nil, until: nil))
    // The same refund announced again under another UUID is the same decision.
    try bench.notify(
      "REFUND", uuid: "D2", signedAt: Bench.start + 2, transaction: #","revocationDate":1794301200500"#)
    #expect(bench.judge() == .rest(nil, until: nil))
  }

  @Test(
    "tells the extent only as far as Apple does",
    arguments: [
      ("REFUND", nil, #","revocationType":"REFUND_FULL""#, Outcome.Decision.refunded(.full)),
      ("REFUND", nil, "", .refunded(.unknown)),
      ("REFUND", nil, #","revocationType":"NEW_TYPE""#, .refunded(.unknown)),
      ("REFUND", "SEATS", "", .refunded(.seats)),
      ("REFUND_DECLINED", nil, "", .declined),
      ("REFUND_REVERSED", nil, "", .reversed),
    ] as [(String, String?, String, Outcome.Decision)])
  func extent(type: String, subtype: String?, members: String, expected: Outcome.Decision) throws {
    var bench = try Bench()
    try bench.notify(type, uuid: "d", subtype: subtype, transaction: members)
    guard case .recordOutcome(let outcome, let id, _) = bench.judge() else {
      Issue.record("no outcome is due")
      return
    }
    #expect(outcome.decision == expected)
    #expect(id == "outcome/Production/2000000000000001/\(expected.kind.rawValue)/d")
  }

  @Test("is the newest by signing, whatever the order of arrival; at the same instant refunded beats declined")
  func order() throws {
    var bench = try Bench()
    try bench.notify("REFUND_REVERSED", uuid: "d3", signedAt: Bench.start + 3)
    try bench.notify("REFUND", uuid: "d2", signedAt: Bench.start + 2)
    #expect(bench.state.outcome?.kind == .reversed)
    try bench.notify("REFUND", uuid: "d4", signedAt: Bench.start + 9)
    try bench.notify("REFUND_DECLINED", uuid: "d5", signedAt: Bench.start + 9)
    #expect(bench.state.outcome?.kind == .refunded)
    #expect(bench.state.decisions.count == 4)
  }
}

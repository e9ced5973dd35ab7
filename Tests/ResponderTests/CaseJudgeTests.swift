import AppStore
import Contracts
import EventLog
import JSON
import Service
import Testing

@testable import Responder

@Suite("A refund request is judged") struct CaseJudgeTests {
  private static let start = Story.start
  private static let hour = Story.hour

  /// Consent, facts and a policy: everything an answer needs.
  private func ready(
    _ values: EvidenceValues = Story.facts, statedAt: Int64 = start - hour, environment: String = "Production",
    change: (inout JSONObject) -> Void = { _ in }
  ) throws -> Story {
    let story = Story(environment: environment)
    try story.policy()
    try story.consent(true)
    try story.evidence(values, statedAt: statedAt)
    try story.request(change: change)
    return story
  }

  private func withheld(_ step: Step) throws -> ConsumptionWithheld {
    guard case .withhold(let withheld) = step else { throw Story.NoClaim(step: step) }
    return withheld
  }

  // MARK: Consent

  @Test("waiting for consent until it closes, then withheld") func noConsent() throws {
    let story = Story()
    try story.policy()
    try story.evidence(Story.facts)
    let request = try story.request()
    let closed = Self.start + 12 * Self.hour
    #expect(try story.step() == .rest(.consent, until: closed))
    #expect(try story.step(at: closed - 1) == .rest(.consent, until: closed))
    let withheld = try withheld(story.step(at: closed))
    #expect(withheld.reason == .noConsent)
    #expect(withheld.request == request)
  }

  @Test("by the newest word of the customer's, whatever the terms say") func withdrawn() throws {
    let story = try ready()
    try story.terms(coversUnidentified: true)
    try story.consent(false, statedAt: Self.start - 10)
    #expect(try story.step() == .rest(.consent, until: Self.start + 12 * Self.hour))
    try story.consent(true, statedAt: Self.start - 20)
    #expect(
      try story.step() == .rest(.consent, until: Self.start + 12 * Self.hour), "a late, older grant never revives")
    try story.consent(true, statedAt: Self.start - 10)
    #expect(try story.step() == .rest(.consent, until: Self.start + 12 * Self.hour), "a withdrawal wins a tie")
    let again = try story.consent(true, statedAt: Self.start - 5)
    #expect(try story.nextClaim().prepared.basis == again)
    #expect(
      try withheld(
        try {
          try story.consent(false, statedAt: Self.start); return try story.step(at: Self.start + 12 * Self.hour)
        }()
      ).reason == .noConsent)
  }

  @Test("by what a parent took back, whoever agreed before and whatever the terms say, until somebody agrees anew")
  func rescinded() throws {
    let story = try ready()
    try story.terms(coversUnidentified: true)
    try story.rescind(signedAt: Self.start + 10)
    let closed = Self.start + 12 * Self.hour
    #expect(try story.step() == .rest(.parent, until: closed))
    try story.consent(true, statedAt: Self.start + 10)
    #expect(try story.step() == .rest(.parent, until: closed), "at the same time what was taken back wins")
    #expect(try withheld(story.step(at: closed)).reason == .noConsent)
    #expect(try withheld(story.step(at: closed)).explanation.contains("a parent"))
    let again = try story.consent(true, statedAt: Self.start + 11)
    #expect(try story.nextClaim().prepared.basis == again)
    // It is taken back again; an older notification that comes late changes nothing then.
    try story.rescind(signedAt: Self.start + 20)
    try story.consent(true, statedAt: Self.start + 21)
    try story.rescind(signedAt: Self.start + 15)
    #expect(try story.nextClaim().prepared.attempt == 1)
    try story.consent(false, statedAt: Self.start + 30)
    #expect(try story.step() == .rest(.consent, until: closed))
  }

  @Test("without a word on purchases of another app transaction or environment, or of none that is named")
  func otherRescissions() throws {
    let story = try ready()
    try story.rescind(environment: "Sandbox")
    try story.rescind(named: false)
    try Story(transactionID: "9", log: story.log).rescind(uuid: 900)
    #expect(try story.nextClaim().prepared.attempt == 1)
  }

  @Test("and is not told anew once a parent took consent back") func rescindedAfterwards() throws {
    let story = try ready()
    try story.settle(at: Self.start)
    try story.evidence(Story.facts(share: 50_000), statedAt: Self.start)
    let later = Self.start + Self.hour
    #expect(try story.nextClaim(at: later).prepared.attempt == 2)
    try story.rescind(signedAt: Self.start + 1)
    #expect(try story.step(at: later) == .rest(nil, until: nil))
  }

  struct TermsRow: Sendable, CustomTestStringConvertible {
    let what: String
    var account: String? = Story.account
    var kind = ConsentBasisDeclared.Kind.terms
    var coversUnidentified = false
    /// From the purchase.
    var effectiveAfter: Int64 = 0
    let allows: Bool
    var testDescription: String { what }
  }

  @Test(
    "by terms that cover the purchase",
    arguments: [
      TermsRow(what: "of a known customer", allows: true),
      TermsRow(what: "of nobody known", account: nil, allows: false),
      TermsRow(what: "of nobody known, covered", account: nil, coversUnidentified: true, allows: true),
      TermsRow(what: "bought a millisecond before", effectiveAfter: 1, allows: false),
      TermsRow(what: "bought long after", effectiveAfter: -1_000_000, allows: true),
      TermsRow(what: "where customers are asked", kind: .optIn, coversUnidentified: true, allows: false),
    ])
  func terms(row: TermsRow) throws {
    let story = Story()
    try story.policy()
    let basis = try story.terms(
      effectiveFrom: Self.start - 24 * Self.hour + row.effectiveAfter, coversUnidentified: row.coversUnidentified,
      kind: row.kind)
    try story.evidence(Story.facts)
    try story.request(account: row.account)
    if row.allows {
      #expect(try story.nextClaim().prepared.basis == basis)
    } else {
      let waiting = row.account == nil ? Waiting.customer : .consent
      #expect(try story.step() == .rest(waiting, until: Self.start + 12 * Self.hour))
    }
  }

  // MARK: Facts

  @Test("waiting for facts by name, then withheld") func noFacts() throws {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.request()
    let closed = Self.start + 12 * Self.hour
    #expect(try story.step() == .rest(.facts(["deliveryStatus", "sampleContentProvided"]), until: closed))
    try story.evidence(EvidenceValues(sampleContentProvided: true))
    #expect(try story.step() == .rest(.facts(["deliveryStatus"]), until: closed))
    let withheld = try withheld(story.step(at: closed))
    #expect(withheld.reason == .noFacts)
    #expect(withheld.missing == ["deliveryStatus"])
    #expect(withheld.explanation.contains("deliveryStatus"))
  }

  @Test("by the operator's word on the product where nothing was stated of the purchase") func statement() throws {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.request()
    let any = try story.statement("*", "UNDELIVERED_OTHER", sample: true)
    var prepared = try story.nextClaim().prepared
    #expect(prepared.sources["deliveryStatus"]?.contains(any) == true)
    #expect(
      prepared.body == #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"UNDELIVERED_OTHER"}"#)
    try story.statement("gems", "DELIVERED", sample: false)
    prepared = try story.nextClaim().prepared
    #expect(prepared.body == #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#)
    let stated = try story.evidence(EvidenceValues(deliveryStatus: DeliveryStatusWord("UNDELIVERED_WRONG_ITEM")))
    prepared = try story.nextClaim().prepared
    #expect(prepared.body.contains("UNDELIVERED_WRONG_ITEM"))
    #expect(prepared.sources["deliveryStatus"]?.contains(stated) == true)
  }

  @Test("never by a declared delivery where the backend does not know the purchase") func unknownPurchase() throws {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.statement("*")
    try story.evidence(.unknownPurchase, statedAt: Self.start - 10)
    try story.request()
    #expect(try story.step() == .rest(.purchaseKnown, until: Self.start + 12 * Self.hour))
    #expect(try withheld(story.step(at: Self.start + 12 * Self.hour)).reason == .unknownPurchase)
    try story.evidence(Story.facts, statedAt: Self.start - 5)
    #expect(try story.nextClaim().prepared.attempt == 1)
  }

  @Test("by the newer word where an older doubt comes late") func lateDoubt() throws {
    let story = try ready(statedAt: Self.start - 10)
    try story.evidence(.unknownPurchase, statedAt: Self.start - 20)
    #expect(try story.nextClaim().prepared.attempt == 1)
  }

  @Test("waiting where no policy was loaded") func noPolicy() throws {
    let story = Story()
    try story.consent(true)
    try story.evidence(Story.facts)
    try story.request()
    #expect(try story.step() == .rest(.policy, until: Self.start + 12 * Self.hour))
  }

  @Test("with a share of the whole quantity: one used of three bought is a third") func quantity() throws {
    let story = try ready(
      EvidenceValues(
        deliveryStatus: DeliveryStatusWord("DELIVERED"), sampleContentProvided: false, unitsGranted: 3, unitsUsed: 1)
    ) { $0["quantity"] = 3 }
    #expect(try story.nextClaim().prepared.body.contains(#""consumptionPercentage":33333"#))
  }

  // MARK: What Apple decided

  @Test("apart from each other, each with its own window, where Apple asks again while one is open") func several()
    throws
  {
    let story = try ready()
    let second = try story.request(signedAt: Self.start + 5 * Self.hour)
    try story.settle(at: Self.start + 5 * Self.hour)
    #expect(try story.state().requests.allSatisfy(\.isAnswered))
    #expect(try story.state().attempts == 2)
    // What Apple decides then is about both, and is told as the end of the newer.
    try story.notification("REFUND_DECLINED", signedAt: Self.start + 6 * Self.hour)
    guard case .recordOutcome(let outcome, _, _) = try story.step(at: Self.start + 6 * Self.hour) else {
      Issue.record("a decision is recorded")
      return
    }
    #expect(outcome.request == second && outcome.answers.count == 2)
    try story.settle(at: Self.start + 6 * Self.hour)
    // A third one begins anew.
    try story.request(signedAt: Self.start + 7 * Self.hour)
    #expect(try story.nextClaim(at: Self.start + 7 * Self.hour).prepared.attempt == 3)
  }

  @Test("and a refund that nobody asked about here is recorded without a request, with what Apple says of it")
  func withoutRequest() throws {
    let story = Story()
    try story.notification("REFUND", subtype: "SEATS") {
      $0["quantity"] = 5
      $0["isUpgraded"] = true
      $0["multiSeatInfo"] = ["revokedSeatQuantity": 2]
    }
    guard case .recordOutcome(let outcome, _, _) = try story.step() else {
      Issue.record("a decision is recorded")
      return
    }
    #expect(outcome.request == nil && outcome.upgraded == true)
    #expect(outcome.revokedSeats == 2 && outcome.quantity == 5)
    #expect(outcome.decision == .refunded(.seats))
  }

  @Test("and counted apart from the decisions that our answers may have had a part in") func figures() {
    let metrics = ResponderMetrics(clock: .fixed(0))
    func count(_ answers: [String], _ request: String?, upgraded: Bool? = nil) {
      metrics.count(
        Outcome(
          decision: .refunded(.full), decidedAt: 1, source: .notification, answers: answers, request: request,
          upgraded: upgraded))
    }
    count(["claim/Production/1/1"], "notification/1")
    count([], "notification/1")
    count([], nil)
    count([], nil, upgraded: true)
    for told in ["answer", "nothing", "unasked", "upgrade"] { #expect(metrics.outcomes["refunded", told].value == 1) }
  }

  // MARK: What Apple takes no answer for

  @Test(
    "withheld at once where Apple takes no answer",
    arguments: [
      ("inAppOwnershipType", JSONValue.string("FAMILY_SHARED")), ("inAppOwnershipType", .string("ASSIGNED")),
    ])
  func notAnswerable(member: String, value: JSONValue) throws {
    let story = try ready { $0[member] = value }
    #expect(try withheld(story.step()).reason == .notAnswerable)
  }

  @Test("withheld at once where Apple has decided already") func alreadyDecided() throws {
    for (type, after, ends) in [
      ("REFUND", 1, true), ("REFUND", 0, true), ("REFUND_DECLINED", 1, true), ("REFUND", -1, false),
    ] as [(String, Int64, Bool)] {
      let story = try ready()
      try story.notification(type, signedAt: Self.start + after)
      guard case .recordOutcome(let outcome, let id, let notification) = try story.step() else {
        Issue.record("the decision is recorded first")
        continue
      }
      try story.add(EventDraft(outcome, id: id, stream: story.stream, app: nil, occurredAt: 1, causation: notification))
      if ends {
        #expect(try withheld(story.step()).reason == .alreadyDecided)
      } else {
        #expect(try story.nextClaim().prepared.attempt == 1)
      }
    }
  }

  // MARK: Time

  @Test("withheld once it is a week old, whenever it was received") func week() throws {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts)
    let week = 7 * 24 * Self.hour
    try story.request(signedAt: Self.start, receivedAt: Self.start + week - 1)
    #expect(try story.nextClaim(at: Self.start + week - 1).prepared.late)
    #expect(try withheld(story.step(at: Self.start + week)).reason == .expired)
  }

  @Test(
    "late past due, and not at all past closed",
    arguments: [("Production", 12 * hour - 600_000), ("Sandbox", 300_000)] as [(String, Int64)])
  func borders(environment: String, due: Int64) throws {
    let story = try ready(environment: environment)
    let closed = Self.start + 12 * Self.hour
    #expect(try story.nextClaim(at: Self.start + due - 1).prepared.late == false)
    #expect(try story.nextClaim(at: Self.start + due).prepared.late)
    #expect(try story.nextClaim(at: closed - 1).prepared.late)
    #expect(try withheld(story.step(at: closed)).reason == .expired)
  }

  @Test("due by the earlier of signing and receipt, closed by receipt, which is not before the signing") func window() {
    let early = RefundRequest(id: "r", signedAt: 1_000, receivedAt: 5_000)
    #expect(Window(early, environment: "Production").due == 1_000 + 12 * Self.hour - 600_000)
    #expect(Window(early, environment: "Production").closed == 5_000 + 12 * Self.hour)
    let behind = RefundRequest(id: "r", signedAt: 5_000, receivedAt: 1_000)
    #expect(Window(behind, environment: "Sandbox").due == 1_000 + 300_000)
    #expect(Window(behind, environment: "Sandbox").closed == 5_000 + 12 * Self.hour)
    #expect(Window(behind, environment: "Sandbox").stale == 5_000 + 168 * Self.hour)
  }
}

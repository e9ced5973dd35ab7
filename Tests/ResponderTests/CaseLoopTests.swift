import Contracts
import EventLog
import HTTPTypes
import JSON
import Service
import Testing

@testable import Responder

@Suite("A refund request is answered", .timeLimit(.minutes(5))) struct CaseLoopTests {
  private static let start = Story.start
  private static let hour = Story.hour
  private static let body = #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#

  private func ready(_ rig: ResponderRig) throws -> String {
    try rig.story.policy()
    try rig.story.evidence(Story.facts)
    try rig.story.consent(true)
    return try rig.story.request()
  }

  @Test("with one call of the exact body, and Apple's decision is told once") func wholeStory() throws {
    let rig = try ResponderRig()
    try rig.start()
    let request = try ready(rig)
    let sent = try rig.wait(for: .consumptionSent)[0]
    let claim = try rig.events(.consumptionPrepared)[0]
    #expect(claim.id.text == "claim/Sandbox/2000000000000001/1")
    #expect(sent.id.text == "sent/Sandbox/2000000000000001/1")
    #expect(claim.position < sent.position)
    #expect([claim.causation?.text, claim.correlation?.text] == [request, request])
    #expect([sent.causation?.text, sent.correlation?.text] == [claim.id.text, request])
    for event in [claim, sent] {
      #expect(event.stream == rig.story.stream)
      #expect(event.customer == rig.story.customer)
      #expect(event.environment == "Sandbox")
      #expect(event.app == Story.bundleID)
      #expect(event.occurredAt == Self.start)
    }
    let prepared = try ConsumptionPrepared(data: claim.data!)
    #expect(prepared.body == Self.body)
    #expect(prepared.claimant == "first")
    #expect(prepared.basis == "consent/customer/\(rig.story.customer)/1")
    let result = try ConsumptionSent(data: sent.data!)
    #expect(result.status == 202)
    #expect(result.claim == claim.id.text)

    let call = try #require(rig.appStore.answers.first)
    #expect(call.method == .put)
    #expect(call.path == "/sandbox/inApps/v2/transactions/consumption/2000000000000001")
    #expect(call.body == Self.body)
    #expect(call.authorization?.hasPrefix("Bearer ey") == true)

    let declined = try rig.story.notification("REFUND_DECLINED", signedAt: Self.start + 1)
    let outcome = try rig.wait(for: .outcome)[0]
    #expect(outcome.id.text.hasPrefix("outcome/Sandbox/2000000000000001/declined/5a000000-"))
    #expect([outcome.causation?.text, outcome.correlation?.text] == [declined, request])
    #expect(try Outcome(data: outcome.data!).answers == [claim.id.text])
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
    #expect(try rig.events(.outcome).filter { $0.stream == rig.story.stream }.count == 1)
    #expect(try rig.events(.consumptionPrepared).count == 1)
  }

  @Test("in Production at Production's address") func production() throws {
    let rig = try ResponderRig(Story(environment: "Production"))
    try rig.start()
    _ = try ready(rig)
    try rig.wait(for: .consumptionSent)
    #expect(rig.appStore.answers.map(\.path) == ["/production/inApps/v2/transactions/consumption/2000000000000001"])
  }

  @Test("once consent comes, and not before") func laterConsent() throws {
    let rig = try ResponderRig()
    try rig.start()
    try rig.story.policy()
    try rig.story.evidence(Story.facts)
    try rig.story.request()
    try rig.settle()
    #expect(rig.appStore.answers.isEmpty)
    try rig.set(Self.start + 60_000)
    try rig.story.consent(true, statedAt: Self.start + 60_000)
    try rig.wait(for: .consumptionSent)
    #expect(rig.appStore.answers.count == 1)
  }

  @Test("once the facts are stated of the original purchase") func laterOriginal() throws {
    let rig = try ResponderRig()
    try rig.start()
    try rig.story.policy()
    try rig.story.consent(true)
    try rig.story.request { $0["originalTransactionId"] = "1000" }
    try rig.settle()
    #expect(rig.appStore.answers.isEmpty)
    try rig.story.evidence(Story.facts, of: PurchaseKey(environment: "Sandbox", transactionID: "1000"))
    try rig.wait(for: .consumptionSent)
    #expect(rig.appStore.answers.map(\.body) == [Self.body])
  }

  @Test("or withheld when its window closes") func withheld() throws {
    let rig = try ResponderRig()
    try rig.start()
    try rig.story.policy()
    let request = try rig.story.request()
    try rig.settle()
    try rig.set(Self.start + 12 * Self.hour - 1)
    try rig.settle()
    #expect(try rig.events(.consumptionWithheld).isEmpty)
    try rig.set(Self.start + 12 * Self.hour)
    let event = try rig.wait(for: .consumptionWithheld)[0]
    #expect(try ConsumptionWithheld(data: event.data!).reason == .noConsent)
    #expect([event.causation?.text, event.correlation?.text] == [request, request])
    #expect(event.id.text.hasPrefix("withheld/"))
    try rig.settle()
    #expect(try rig.events(.consumptionWithheld).count == 1)
    #expect(rig.appStore.answers.isEmpty)
  }

  @Test("or ends as expired where its app never had a key") func noKey() throws {
    let rig = try ResponderRig(hasKey: false)
    try rig.start()
    _ = try ready(rig)
    try rig.settle()
    #expect(try rig.events(.consumptionPrepared).isEmpty)
    try rig.set(Self.start + 12 * Self.hour)
    #expect(try ConsumptionWithheld(data: rig.wait(for: .consumptionWithheld)[0].data!).reason == .expired)
  }

  @Test("but not where the customer's stream cannot be read") func stuckCustomer() throws {
    let rig = try ResponderRig()
    try rig.story.policy()
    try rig.story.evidence(Story.facts)
    try rig.story.consent(true)
    try rig.story.add(
      EventDraft(
        id: EventID("consent/x"), stream: rig.story.customerStream, type: "ConsentRecorded", occurredAt: 1,
        data: Array("{}".utf8)))
    try rig.story.request()
    try rig.start()
    try rig.settle()
    #expect(try rig.events(.consumptionPrepared).isEmpty)
    try rig.set(Self.start + 12 * Self.hour)
    #expect(try ConsumptionWithheld(data: rig.wait(for: .consumptionWithheld)[0].data!).reason == .expired)
    #expect(rig.appStore.answers.isEmpty)
  }

  // MARK: What Apple answers

  struct ReplyRow: Sendable, CustomTestStringConvertible {
    let reply: AppStoreStandIn.Reply
    let failure: ConsumptionFailed.Failure
    /// After the call; nil: never again.
    let again: Int64?
    var errorCode: Int64?
    var testDescription: String { "\(failure) after \(reply)" }
  }

  @Test(
    "again when Apple's reply says so",
    arguments: [
      ReplyRow(
        reply: .status(429, fields: ["Retry-After: \(start + 90_000)"], body: #"{"errorCode":4290000}"#),
        failure: .limit, again: 90_000, errorCode: 4_290_000),
      ReplyRow(reply: .status(429), failure: .limit, again: 2_000),
      ReplyRow(reply: .status(429, fields: ["Retry-After: \(start - hour)"]), failure: .limit, again: 2_000),
      ReplyRow(reply: .status(429, fields: ["Retry-After: \(start + 11 * hour)"]), failure: .limit, again: 3_600_000),
      ReplyRow(
        reply: .status(500, body: #"{"errorCode":5000000}"#), failure: .passing, again: 2_000, errorCode: 5_000_000),
      ReplyRow(reply: .lost, failure: .unknown, again: 2_000),
      ReplyRow(
        reply: .status(400, body: #"{"errorCode":4000035}"#), failure: .refused, again: nil, errorCode: 4_000_035),
      ReplyRow(
        reply: .status(404, body: #"{"errorCode":4040010}"#), failure: .refused, again: nil, errorCode: 4_040_010),
    ])
  func failures(row: ReplyRow) throws {
    let rig = try ResponderRig(replies: [row.reply])
    try rig.start()
    let request = try ready(rig)
    let event = try rig.wait(for: .consumptionFailed)[0]
    let failed = try ConsumptionFailed(data: event.data!)
    #expect(failed.failure == row.failure)
    #expect(failed.errorCode == row.errorCode)
    #expect(failed.retryAt == row.again.map { Self.start + $0 })
    #expect([event.causation?.text, event.correlation?.text] == ["claim/Sandbox/2000000000000001/1", request])
    #expect(event.id.text == "\(row.failure == .unknown ? "unknown" : "failed")/Sandbox/2000000000000001/1")
    guard let again = row.again else {
      try rig.set(Self.start + Self.hour)
      try rig.settle()
      #expect(rig.appStore.answers.count == 1)
      return
    }
    try rig.set(Self.start + again - 1)
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
    try rig.set(Self.start + again)
    let sent = try rig.wait(for: .consumptionSent)[0]
    #expect(sent.id.text == "sent/Sandbox/2000000000000001/2")
    #expect(rig.appStore.answers.map(\.body) == [Self.body, Self.body])
  }

  // MARK: A token that is refused

  @Test("once more with a fresh token, then the app's calls are paused, one tries, and all go on") func paused() throws
  {
    let refused = AppStoreStandIn.Reply.status(401, body: "Unauthenticated")
    let rig = try ResponderRig(replies: [refused, refused, refused])
    try rig.start()
    _ = try ready(rig)
    let failed = try rig.wait(for: .consumptionFailed, count: 2)
    #expect(try failed.map { try ConsumptionFailed(data: $0.data!).failure } == [.unauthorised, .unauthorised])
    let second = Story(environment: "Sandbox", transactionID: "2000000000000002", log: rig.story.log)
    try second.evidence(Story.facts)
    try second.notification("CONSUMPTION_REQUEST", uuid: 4_711)
    try rig.settle()
    #expect(rig.appStore.answers.count == 2, "paused: the other request waits too")
    #expect(Set(rig.appStore.answers.map(\.authorization)).count == 2, "each with a token of its own")

    try rig.set(Self.start + 299_999)
    try rig.settle()
    #expect(rig.appStore.answers.count == 2)
    try rig.set(Self.start + 300_000)
    try rig.wait(for: .consumptionFailed, count: 3)
    try rig.settle()
    #expect(rig.appStore.answers.count == 3, "one tries for all")
    try rig.set(Self.start + 600_000)
    try rig.wait(for: .consumptionSent, count: 2)
    #expect(rig.appStore.answers.count == 5)
  }

  @Test("tried at once when settings have changed") func reload() throws {
    let refused = AppStoreStandIn.Reply.status(401)
    let rig = try ResponderRig(replies: [refused, refused])
    try rig.start()
    _ = try ready(rig)
    try rig.wait(for: .consumptionFailed, count: 2)
    try rig.settle()
    try rig.reload()
    try rig.wait(for: .consumptionSent)
    #expect(rig.appStore.answers.count == 3)
  }

  @Test("as soon as settings bring the key that was missing") func lateKey() throws {
    let rig = try ResponderRig(hasKey: false)
    try rig.start()
    _ = try ready(rig)
    try rig.settle()
    #expect(try rig.events(.consumptionPrepared).isEmpty)
    try rig.reload()
    try rig.wait(for: .consumptionSent)
  }

  @Test("anew when a person says so, and evidence that comes later changes it") func again() throws {
    let rig = try ResponderRig()
    try rig.start()
    _ = try ready(rig)
    try rig.wait(for: .consumptionSent)
    try rig.set(Self.start + 300_000)
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
    try rig.story.review(.answerAgain)
    try rig.wait(for: .consumptionSent, count: 2)
    try rig.story.evidence(Story.facts(share: 5_000), statedAt: Self.start + 1)
    try rig.settle()
    #expect(rig.appStore.answers.count == 2)
    try rig.set(Self.start + 600_000)
    try rig.wait(for: .consumptionSent, count: 3)
    #expect(rig.appStore.answers.last?.body.contains("5000") == true)
  }

  @Test("again where Apple refused it and the key has changed since, once") func refusedThenMended() throws {
    let rig = try ResponderRig(replies: [.status(404, body: #"{"errorCode":4040010}"#), .status(404)])
    try rig.start()
    _ = try ready(rig)
    try rig.wait(for: .consumptionFailed)
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
    try rig.reload()
    try rig.wait(for: .consumptionFailed, count: 2)
    try rig.settle()
    #expect(rig.appStore.answers.count == 2, "not again under the same key")
  }

  @Test("for many at once, with as many calls as there are senders, all of them in the end") func many() throws {
    let rig = try ResponderRig()
    try rig.story.policy()
    try rig.story.statement("*")
    try rig.story.consent(true)
    for number in 0..<60 {
      let story = Story(environment: "Sandbox", transactionID: "30000000000000\(10 + number)", log: rig.story.log)
      try story.notification("CONSUMPTION_REQUEST", uuid: 5_000 + number)
    }
    try rig.start()
    try rig.wait(for: .consumptionSent, count: 60)
    #expect(Set(rig.appStore.answers.map(\.path)).count == 60)
    #expect(rig.appStore.answers.count == 60)
  }
}

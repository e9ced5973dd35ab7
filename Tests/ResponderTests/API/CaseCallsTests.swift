import Contracts
import EventLog
import Glibc
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("Cases over the API") struct CaseCallsTests {
  private static let path = "/v1/cases/Production/2000000000000001"

  @Test("are found by query parameters, page by page") func found() throws {
    let log = Story.memory()
    for number in 1...5 {
      try Story(transactionID: "\(number)", log: log)
        .notification(
          number == 5 ? "REFUND" : "CONSUMPTION_REQUEST", uuid: number, signedAt: Story.start - Int64(9 - number))
    }
    let api = try APIFixture(log: log)
    try api.follow()
    func ids(_ reply: HTTPResponse) -> [String] {
      reply.json?["cases"]?.array?.compactMap { $0["transactionId"]?.string } ?? []
    }
    let all = try api.get("/v1/cases")
    #expect(all.status == 200)
    #expect(ids(all) == ["1", "2", "3", "4", "5"])
    #expect(all.json?["next"] == nil)
    #expect(all.json?["through"] == "5")
    let first = try api.get("/v1/cases?limit=2&state=waiting")
    #expect(ids(first) == ["1", "2"])
    let next = try #require(first.json?["next"]?.string)
    #expect(ids(try api.get("/v1/cases?limit=2&state=waiting&after=\(next)")) == ["3", "4"])
    #expect(ids(try api.get("/v1/cases?outcome=refunded&environment=Production&app=com.example.app")) == ["5"])
    let customer = Story(log: log).customer
    #expect(ids(try api.get("/v1/cases?transactionId=3&customer=\(customer)")) == ["3"])
    #expect(ids(try api.get("/v1/cases?dueBefore=0")) == [])
  }

  @Test(
    "are not looked for with what cannot be meant",
    arguments: [
      ("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("state=gone", "state"),
      ("outcome=lost", "outcome"), ("customer=me", "customer"), ("dueBefore=soon", "dueBefore"),
      ("order=1", "order"), ("app=a&app=b", "app"), ("transactionId=", "transactionId"),
    ])
  func refused(query: String, member: String) throws {
    let api = try APIFixture()
    let reply = try api.get("/v1/cases?\(query)")
    #expect(reply.status == 422)
    #expect(reply.json?["errors"]?.array?.map { $0["member"]?.string } == [member])
    #expect(try api.get("/v1/cases?after=x").problem == "cursor-invalid")
  }

  @Test("have a page, and a purchase without a case has none") func page() throws {
    let api = try APIFixture()
    let story = Story(log: api.log)
    try story.evidence(Story.facts)
    try api.follow()
    #expect(try api.get(Self.path).problem == "not-found")
    try story.request()
    try api.follow()
    let page = try api.get(Self.path)
    #expect(page.status == 200)
    #expect(page.json?["requests"]?.array?.first?["state"] == "waiting")
    #expect(try api.get("/v1/cases/production/1").problem == "purchase-invalid")
    // Nothing of the account stands on it.
    #expect(!String(decoding: page.body, as: UTF8.self).contains(Story.account))
  }

  @Test("are not possible to read for the moment where there is no projection") func unavailable() throws {
    let api = try APIFixture()
    for name in ["", "-wal", "-shm"] {
      unlink("\(api.folder.path)/cases-v\(CaseStoreSchema.version).sqlite\(name)")
    }
    for path in ["/v1/cases", Self.path] {
      let reply = try api.get(path)
      #expect(reply.status == 503)
      #expect(reply.problem == "unavailable")
      #expect(reply.fields["Retry-After"] == "5")
    }
  }

  @Test("are counted by route and status, with the seconds") func metrics() throws {
    let api = try APIFixture()
    _ = try api.get("/v1/cases")
    _ = try api.get("/v1/cases?limit=0")
    _ = try api.get("/v1/cases/Production/1", token: "nobody")
    // The count follows the reply.
    let deadline = MonotonicClock.milliseconds() + 5_000
    var text = api.metrics.text()
    while !text.contains(#"{environment}/{transactionId}",status="401"} 1"#), MonotonicClock.milliseconds() < deadline {
      usleep(1_000)
      text = api.metrics.text()
    }
    #expect(text.contains(#"refundlog_api_calls_total{route="GET /v1/cases",status="200"} 1"#))
    #expect(text.contains(#"refundlog_api_calls_total{route="GET /v1/cases",status="422"} 1"#))
    #expect(
      text.contains(
        #"refundlog_api_calls_total{route="GET /v1/cases/{environment}/{transactionId}",status="401"} 1"#))
    #expect(text.contains(#"refundlog_api_seconds_count{route="GET /v1/cases"} 2"#))
  }

  // MARK: Reviews

  private func review(_ api: APIFixture, _ body: JSONValue, key: String? = nil) throws -> HTTPResponse {
    try api.post("\(Self.path)/reviews", body, key: key)
  }

  @Test("take a person's acts, each under the token's name") func acts() throws {
    let api = try APIFixture()
    let request = try Story(log: api.log).request()
    let acts: [JSONValue] = [
      ["act": "hold", "until": .number(JSONNumber(Story.start + 1)), "all": true], ["act": "release"],
      ["act": "prefer", "refundPreference": "DECLINE", "note": "all spent"],
      ["act": "prefer", "refundPreference": "NO_PREFERENCE", "note": "was wrong"],
      ["act": "answerNow", "request": .string(request)], ["act": "note", "note": "called"],
    ]
    for act in acts { #expect(try review(api, act).status == 201) }
    let events = try api.events().filter { $0.type == "CaseReviewed" }
    #expect(events.count == acts.count)
    #expect(events[0].id.text == "review/purchase/Production/2000000000000001/2")
    #expect(events.allSatisfy { $0.app == Story.bundleID && $0.environment == "Production" })
    #expect(events.allSatisfy { $0.customer == Story(log: api.log).customer && $0.causation == nil })
    #expect(try CaseReviewed(data: events[0].data!).all == true)
    let prefer = try CaseReviewed(data: events[2].data!)
    #expect(prefer.by == "backend")
    #expect(prefer.refundPreference?.text == "DECLINE")
    #expect(prefer.note == "all spent")
    // An act about one refund request names it in the column too.
    #expect(try CaseReviewed(data: events[4].data!).request == request)
    #expect(events.map(\.correlation?.text) == [nil, nil, nil, nil, request, nil])
    // An equal act is said already; with a key it is one of its own.
    #expect(try review(api, acts[5]).status == 200)
    #expect(try review(api, acts[5], key: "again").status == 201)
    #expect(try review(api, acts[5], key: "again").status == 200)
  }

  @Test("take a wish to answer as a new one each time it is said") func wishes() throws {
    let api = try APIFixture()
    let story = Story(log: api.log)
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts)
    try story.request()
    for _ in 1...2 { #expect(try review(api, ["act": "answerNow"]).status == 201) }
    let claim = try story.nextClaim().prepared
    try story.claim(claim)
    try story.sent(claim)
    for _ in 1...2 { #expect(try review(api, ["act": "answerAgain"]).status == 201) }
    #expect(try review(api, ["act": "answerAgain"], key: "k").status == 201)
    #expect(try review(api, ["act": "answerAgain"], key: "k").status == 200)
    #expect(try api.events().filter { $0.type == "CaseReviewed" }.count == 5)
  }

  @Test("take no act that does not fit how the refund request stands") func unfitting() throws {
    let late = try APIFixture(now: Story.start + 10 * Story.hour - 600_000)
    try Story(log: late.log).request()
    let tooLate = try review(late, ["act": "hold"])
    #expect(tooLate.status == 409 && tooLate.problem == "act-not-possible")
    #expect(try review(late, ["act": "release"]).status == 201)

    let api = try APIFixture()
    let story = Story(log: api.log)
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts)
    try story.request()
    func refused(_ act: JSONValue) throws -> String? {
      let reply = try review(api, ["act": act])
      return reply.problem == "act-not-possible" ? reply.json?["detail"]?.string : "\(reply.status)"
    }
    #expect(try refused("answerAgain")?.hasPrefix("Apple has no answer yet") == true)
    #expect(try review(api, ["act": "answerNow"], key: "first").status == 201)
    let claim = try story.nextClaim().prepared
    try story.claim(claim)
    #expect(try refused("answerNow")?.hasPrefix("an answer is on its way") == true)
    #expect(try review(api, ["act": "answerNow"], key: "first").status == 200, "a retry is no new act")
    try story.sent(claim)
    #expect(try refused("answerNow")?.hasPrefix("Apple has an answer already") == true)
    #expect(try review(api, ["act": "answerNow"], key: "first").status == 200)
    #expect(try review(api, ["act": "answerNow"], key: "second").status == 409)
  }

  @Test(
    "refuse acts that cannot be meant",
    arguments: [
      (#"{"act":"prefer","refundPreference":"DECLINE"}"#, "note-required"), (#"{"act":"note"}"#, "note-required"),
      (#"{"act":"note","note":""}"#, "invalid-members"), (#"{"act":"prefer","note":"x"}"#, "invalid-members"),
      (#"{"act":"prefer","refundPreference":"REFUSE","note":"x"}"#, "invalid-members"),
      (#"{"act":"hold","refundPreference":"DECLINE"}"#, "invalid-members"),
      (#"{"act":"hold","until":1}"#, "invalid-members"),
      (#"{"act":"release","all":true}"#, "invalid-members"), (#"{"act":"hold","all":1}"#, "invalid-members"),
      (#"{"act":"release","until":9796000000000}"#, "invalid-members"),
      (#"{"act":"erase"}"#, "invalid-members"), (#"{"act":"hold","by":"me"}"#, "invalid-members"),
      (#"{"act":"hold","request":"notification/none"}"#, "invalid-members"), ("{}", "invalid-members"),
    ])
  func refusedActs(body: String, problem: String) throws {
    let api = try APIFixture()
    try Story(log: api.log).request()
    let reply = try review(api, try JSONValue(bytes: Array(body.utf8)))
    #expect(reply.status == 422)
    #expect(reply.problem == problem)
    #expect(try api.events().count == 1)
  }

  @Test("have no reviews where there is no case") func reviewWithoutCase() throws {
    let api = try APIFixture()
    #expect(try review(api, ["act": "hold"]).problem == "not-found")
    try Story(log: api.log).evidence(Story.facts)
    #expect(try review(api, ["act": "hold"]).problem == "not-found")
    #expect(try api.events().count == 1)
  }

  @Test("take only words once nothing can be answered any more", arguments: [0, 1, 2, 3])
  func closed(way: Int) throws {
    let api = try APIFixture(now: Story.start + (way == 0 ? 12 * Story.hour : 1))
    let story = Story(log: api.log)
    switch way {
    case 0: try story.request()
    case 1: try story.request(signedAt: Story.start - 7 * 24 * Story.hour, receivedAt: Story.start)
    case 2:
      try story.request()
      try story.notification("REFUND_DECLINED", signedAt: Story.start + 1)
    default:
      let request = try story.request()
      try story.add(
        ConsumptionWithheld(request: request, reason: .notAnswerable, explanation: "family"), .withheld,
        to: story.stream)
    }
    for act in ["hold", "release", "answerNow", "answerAgain"] {
      let reply = try review(api, ["act": .string(act)])
      #expect(reply.status == 409)
      #expect(reply.problem == "window-closed")
    }
    #expect(try review(api, ["act": "note", "note": "asked again by mail"]).status == 201)
    // A new request opens it again.
    let request = try story.request(signedAt: Story.start + 12 * Story.hour, receivedAt: Story.start + 12 * Story.hour)
    #expect(try review(api, ["act": "hold", "request": .string(request)]).status == 201)
    let newest = try #require(try api.events().last)
    #expect(newest.correlation?.text == request)
  }

  @Test("see one instant before the end of the window as inside it") func border() throws {
    let api = try APIFixture(now: Story.start + 12 * Story.hour - 1)
    try Story(log: api.log).request()
    #expect(try review(api, ["act": "answerNow"]).status == 201)
  }

  @Test("a withdrawal sent between claim and call wins") func withdrawal() throws {
    let api = try APIFixture()
    let story = Story(log: api.log)
    try story.policy()
    try story.evidence(Story.facts)
    try story.request()
    #expect(try api.put("/v1/consents", APIFixture.consent(statedAt: Story.start - 1)).status == 201)
    // The judge has decided to answer …
    let claim = try story.nextClaim()
    // … and before its claim is in the log, the customer says no.
    #expect(try api.put("/v1/consents", APIFixture.consent(granted: false)).status == 201)
    let draft = EventDraft(
      claim.prepared, id: EventIDs.claim(story.key, attempt: 1), stream: story.stream, app: Story.bundleID,
      occurredAt: 1)
    guard case .conflict(let stream, _) = try api.log.append([draft], expecting: claim.expecting) else {
      Issue.record("the claim stands in spite of the withdrawal")
      return
    }
    #expect(stream == story.customerStream)
    #expect(try story.step() == .rest(.consent, until: Story.start + 12 * Story.hour))
  }
}

import Contracts
import EventLog
import HTTPTypes
import JSON
import Testing

@testable import Responder

@Suite("The back end's API") struct BackendAPITests {
  private static let path = APIFixture.evidencePath

  @Test(
    "lets nobody in without the token",
    arguments: [
      nil, "", "Bearer", "Bearer ", "Bearer wrong", "Basic \(APIFixture.token)", "Bearer \(APIFixture.token)x",
    ])
  func token(authorization: String?) throws {
    let api = try APIFixture()
    for path in ["/v1/consents", Self.path] {
      let reply = try api.put(path, APIFixture.consent(), authorization: authorization)
      #expect(reply.status == 401)
      #expect(reply.problem == "unauthorised")
    }
    #expect(try api.events().isEmpty)
  }

  @Test("records a consent as the contract says") func consent() throws {
    let api = try APIFixture()
    let reply = try api.put("/v1/consents", APIFixture.consent())
    #expect(reply.status == 201)
    let event = try #require(try api.events().first)
    #expect(reply.json?["id"]?.string == event.id.text)
    #expect(reply.json?["position"]?.string == "1")
    let customer = api.log.keyedDigest([Array(Story.bundleID.utf8), Array(Story.account.utf8)])
    #expect(event.stream.text == "customer/\(customer)")
    #expect(event.id.text == "consent/customer/\(customer)/1")
    #expect(event.customer == customer)
    #expect(event.app == Story.bundleID)
    #expect(event.environment == nil)
    #expect(event.type == "ConsentRecorded")
    #expect(event.occurredAt == Story.start)
    #expect(
      String(decoding: event.data!, as: UTF8.self)
        == #"{"account":"\#(Story.account)","bundleId":"com.example.app","by":"backend","channel":"app","granted":true,"#
        + #""statedAt":\#(Story.start),"textDigest":"\#(Story.digest)","textVersion":"1"}"#)
  }

  @Test("knows one customer however the account is written, and writes it in no name") func accounts() throws {
    let api = try APIFixture()
    for (account, granted) in [(Story.account, true), (Story.account.uppercased(), false)] {
      #expect(try api.put("/v1/consents", APIFixture.consent(account: account, granted: granted)).status == 201)
      #expect(
        try api.put("/v1/consents", APIFixture.consent(account: account, granted: granted), key: "k\(granted)").status
          == 201)
    }
    let events = try api.events()
    #expect(Set(events.map(\.stream)).count == 1)
    for event in events {
      for name in [event.stream.text, event.id.text] { #expect(!name.lowercased().contains(Story.account)) }
    }
  }

  @Test("records evidence as the contract says, known or not") func evidence() throws {
    let api = try APIFixture()
    #expect(try api.put(Self.path, APIFixture.evidence(share: 94_000)).status == 201)
    let unknown: JSONValue = [
      "bundleId": .string(Story.bundleID), "statedAt": .number(JSONNumber(Story.start)), "known": false,
    ]
    #expect(try api.put(Self.path, unknown).status == 201)
    let events = try api.events()
    #expect(
      events.map(\.id.text) == [
        "evidence/purchase/Production/2000000000000001/1", "evidence/purchase/Production/2000000000000001/2",
      ])
    #expect(events.map(\.environment) == ["Production", "Production"])
    #expect(
      String(decoding: events[0].data!, as: UTF8.self)
        == #"{"bundleId":"com.example.app","by":"backend","environment":"Production","statedAt":\#(Story.start),"#
        + #""transactionId":"2000000000000001","values":{"consumptionPercentage":94000,"deliveryStatus":"DELIVERED"}}"#)
    #expect(try EvidenceRecorded(data: events[1].data!).statement == .unknownPurchase)
  }

  @Test("keeps A, B, A as three facts, and a repetition as none") func repetition() throws {
    let api = try APIFixture()
    var statuses: [Int] = []
    for share: Int64 in [1_000, 1_000, 2_000, 2_000, 1_000] {
      statuses.append(try api.put(Self.path, APIFixture.evidence(share: share)).status)
    }
    #expect(statuses == [201, 200, 201, 200, 201])
    #expect(try api.events().count == 3)
  }

  @Test("takes an Idempotency-Key once, and refuses it with another content") func keys() throws {
    let api = try APIFixture()
    let first = try api.put(Self.path, APIFixture.evidence(share: 1_000), key: "one")
    #expect(first.status == 201)
    #expect(first.json?["recorded"]?.bool == true)
    let again = try api.put(Self.path, APIFixture.evidence(share: 1_000), key: "one")
    #expect(again.status == 200)
    #expect(again.json?["recorded"]?.bool == false)
    #expect(again.json?["id"] == first.json?["id"])
    let other = try api.put(Self.path, APIFixture.evidence(share: 2_000), key: "one")
    #expect(other.status == 409)
    #expect(other.problem == "idempotency-key-reused")
    let elsewhere = try api.put("/v1/evidence/Production/2", APIFixture.evidence(share: 1_000), key: "one")
    #expect(elsewhere.status == 409)
    #expect(
      try api.put(Self.path, APIFixture.evidence(share: 1_000), key: "two").status == 201,
      "a key of its own is a fact of its own")
    let events = try api.events()
    #expect(events.count == 2)
    let hex = api.log.keyedDigest([Array("backend".utf8), Array("one".utf8)])
    #expect(events[0].id.text == "evidence/com.example.app/\(hex)")
  }

  @Test("refuses a key that is none", arguments: ["", "with blank", String(repeating: "k", count: 256)])
  func badKey(key: String) throws {
    let api = try APIFixture()
    let reply = try api.put(Self.path, APIFixture.evidence(share: 1_000), key: key)
    #expect(reply.status == 400)
    #expect(reply.problem == "idempotency-key-invalid")
    #expect(
      try api.put(Self.path, APIFixture.evidence(share: 1_000), key: String(repeating: "k", count: 255)).status == 201)
  }

  @Test("takes no statement for an app it does not answer for") func unknownApp() throws {
    let api = try APIFixture()
    for reply in [
      try api.put("/v1/consents", APIFixture.consent(bundleID: "com.example.other")),
      try api.put(Self.path, APIFixture.evidence(share: 1_000, bundleID: "com.example.other")),
    ] {
      #expect(reply.status == 422)
      #expect(reply.problem == "invalid-members")
      #expect(String(decoding: reply.body, as: UTF8.self).contains("bundleId"))
    }
    #expect(try api.events().isEmpty)
  }

  @Test(
    "refuses what it cannot mean, naming the member",
    arguments: [
      ("/v1/consents", "", "malformed-json", ""), ("/v1/consents", "[]", "malformed-json", ""),
      ("/v1/consents", "{", "malformed-json", ""), ("/v1/consents", "{}", "invalid-members", "account"),
      ("/v1/consents", #"{"granted":"yes"}"#, "invalid-members", "granted"),
      (path, #"{"bundleId":"com.example.app","statedAt":1796000000000}"#, "invalid-members", "values"),
      (path, #"{"bundleId":"com.example.app","statedAt":1796000000000,"values":{}}"#, "invalid-members", "values"),
      (
        path, #"{"bundleId":"com.example.app","statedAt":1796000000000,"values":{"consumptionPercentage":94}}"#,
        "invalid-members", "94 means 0.094 %; 94 % is 94000"
      ),
      (
        path,
        #"{"bundleId":"com.example.app","statedAt":1796000000000,"values":{"unitsUsed":11,"unitsGranted":10}}"#,
        "invalid-members", "values.unitsUsed"
      ),
      (
        path, #"{"bundleId":"com.example.app","statedAt":1796000300001,"values":{"deliveryStatus":"DELIVERED"}}"#,
        "invalid-members", "statedAt"
      ),
      ("/v1/evidence/production/1", #"{}"#, "purchase-invalid", "Production"),
      ("/v1/evidence/Production/a.b", #"{}"#, "purchase-invalid", "transactionId"),
    ])
  func malformed(path: String, body: String, problem: String, word: String) throws {
    let api = try APIFixture()
    let reply = try api.put(path, Array(body.utf8))
    #expect([400, 422].contains(reply.status))
    #expect(reply.problem == problem)
    #expect(word.isEmpty || String(decoding: reply.body, as: UTF8.self).contains(word))
    #expect(reply.fields["Content-Type"] == "application/problem+json")
    #expect(try api.events().isEmpty)
  }

  @Test("needs to know which text was agreed to, and takes no tracking prompt for one") func texts() throws {
    let api = try APIFixture()
    var call = try #require(APIFixture.consent().object)
    call["textDigest"] = nil
    #expect(try api.put("/v1/consents", .object(call)).problem == "consent-text-unknown")
    call["textDigest"] = .string(Story.digest)
    call["channel"] = "att"
    #expect(try api.put("/v1/consents", .object(call)).problem == "invalid-members")
    #expect(try api.events().isEmpty)
  }
}

import Contracts
import EventLog
import HTTPTypes
import JSON
import Testing

@testable import Responder

@Suite("What is stated of a purchase") struct PurchaseCallsTests {
  private static let purchase = "Production/2000000000000001"

  private func link(account: String = Story.account, bundleID: String = Story.bundleID) -> JSONValue {
    [
      "bundleId": .string(bundleID), "account": .string(account), "statedAt": .number(JSONNumber(Story.start)),
    ]
  }

  private func access(_ state: String, bundleID: String = Story.bundleID) -> JSONValue {
    [
      "bundleId": .string(bundleID), "state": .string(state), "statedAt": .number(JSONNumber(Story.start)),
      "note": "coins taken back",
    ]
  }

  @Test("may be whose it is, under the customer's pseudonym") func links() throws {
    let api = try APIFixture()
    #expect(try api.put("/v1/links/\(Self.purchase)", link()).status == 201)
    #expect(try api.put("/v1/links/\(Self.purchase)", link()).status == 200)
    #expect(try api.put("/v1/links/\(Self.purchase)", link(account: "b-7"), key: "k").status == 201)
    let event = try #require(try api.events().first)
    #expect(event.id.text == "link/purchase/\(Self.purchase)/1")
    #expect(event.customer == api.log.keyedDigest([Array(Story.bundleID.utf8), Array(Story.account.utf8)]))
    let read = try CustomerLinked(data: event.data!)
    #expect(read.account == Story.account)
    #expect(read.by == "backend")
    let nobody = try api.put(
      "/v1/links/\(Self.purchase)", link(account: "00000000-0000-0000-0000-000000000000"))
    #expect(nobody.problem == "invalid-members")
  }

  @Test("may be that access was ended, and restored") func accesses() throws {
    let api = try APIFixture()
    var statuses: [Int] = []
    for state in ["ended", "ended", "restored", "ended"] {
      statuses.append(try api.put("/v1/access/\(Self.purchase)", access(state)).status)
    }
    #expect(statuses == [201, 200, 201, 201])
    let event = try #require(try api.events().first)
    #expect(event.id.text == "access/purchase/\(Self.purchase)/1")
    #expect(event.app == Story.bundleID)
    #expect(try AccessConfirmed(data: event.data!).note == "coins taken back")
    #expect(try api.put("/v1/access/\(Self.purchase)", access("gone")).problem == "invalid-members")
  }

  @Test("names the customer in the column as known then, by Apple's word or a link") func customers() throws {
    let api = try APIFixture()
    let story = Story(log: api.log)
    func state(_ share: Int64, _ word: String) throws -> [String?] {
      #expect(try api.put(APIFixture.evidencePath, APIFixture.evidence(share: share)).status == 201)
      #expect(try api.put("/v1/access/\(Self.purchase)", access(word)).status == 201)
      return try api.events().suffix(2).map(\.customer)
    }
    #expect(try state(1_000, "ended") == [nil, nil], "nobody knows whose it is")
    #expect(try api.put("/v1/links/\(Self.purchase)", link(account: "b-7")).status == 201)
    let linked = api.log.keyedDigest([Array(Story.bundleID.utf8), Array("b-7".utf8)])
    #expect(try state(2_000, "restored") == [linked, linked], "before Apple spoke of it")
    try story.request()
    #expect(try state(3_000, "ended") == [story.customer, story.customer], "Apple's word goes before")
  }

  @Test("is refused where the purchase is another app's, whoever spoke first") func otherApp() throws {
    let api = try APIFixture(apps: [Story.bundleID, "com.example.other"])
    let other = "com.example.other"
    func refused() throws -> [String?] {
      [
        try api.put("/v1/evidence/\(Self.purchase)", APIFixture.evidence(share: 1_000, bundleID: other)).problem,
        try api.put("/v1/links/\(Self.purchase)", link(bundleID: other)).problem,
        try api.put("/v1/access/\(Self.purchase)", access("ended", bundleID: other)).problem,
      ]
    }
    let expected = [String?](repeating: "purchase-of-other-app", count: 3)
    #expect(try api.put("/v1/evidence/\(Self.purchase)", APIFixture.evidence(share: 1_000)).status == 201)
    #expect(try refused() == expected)
    // A slip of the first speaker does not bind: what Apple says does.
    let mistaken = try APIFixture(apps: [Story.bundleID, other])
    let story = Story(log: mistaken.log)
    #expect(
      try mistaken.put("/v1/evidence/\(Self.purchase)", APIFixture.evidence(share: 1_000, bundleID: other)).status
        == 201)
    try story.request()
    #expect(try mistaken.put("/v1/evidence/\(Self.purchase)", APIFixture.evidence(share: 1_000)).status == 201)
    #expect(
      try mistaken.put("/v1/evidence/\(Self.purchase)", APIFixture.evidence(share: 9_000, bundleID: other)).problem
        == "purchase-of-other-app")
    let batch = try mistaken.post(
      "/v1/evidence",
      [
        "items": [
          [
            "environment": "Production", "transactionId": "2000000000000001", "bundleId": .string(other),
            "statedAt": .number(JSONNumber(Story.start)), "known": false,
          ]
        ]
      ])
    #expect(batch.json?["results"]?.array?.first?["status"]?.int64 == 409)
  }
}

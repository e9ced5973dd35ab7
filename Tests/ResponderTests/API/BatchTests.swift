import Contracts
import EventLog
import HTTPTypes
import JSON
import Testing

@testable import Responder

@Suite("A batch") struct BatchTests {
  private func statuses(_ reply: HTTPResponse) -> [Int64] {
    reply.json?["results"]?.array?.compactMap { $0["status"]?.int64 } ?? []
  }

  private func with(_ value: JSONValue, _ change: (inout JSONObject) -> Void) -> JSONValue {
    var members = value.object!
    change(&members)
    return .object(members)
  }

  @Test("of consents takes each element by itself, and tells what is wrong with the others") func consents() throws {
    let api = try APIFixture()
    let body: JSONValue = [
      "items": [
        with(APIFixture.consent()) { $0["key"] = "one" }, 7,
        with(APIFixture.consent()) { $0["statedAt"] = nil }, APIFixture.consent(bundleID: "com.example.other"),
        with(APIFixture.consent(granted: false)) { $0["key"] = 1 },
        with(APIFixture.consent(granted: false)) { $0["key"] = "with blank" },
        with(APIFixture.consent(granted: false)) { $0["key"] = "two" },
      ]
    ]
    let reply = try api.post("/v1/consents", body)
    #expect(reply.status == 200)
    #expect(statuses(reply) == [201, 422, 422, 422, 422, 400, 201])
    let results = try #require(reply.json?["results"]?.array)
    #expect(results[2]["problem"]?["errors"]?.array?.first?["member"] == "items[2].statedAt")
    #expect(results[1]["problem"]?["errors"]?.array?.first?["member"] == "items[1]")
    #expect(results[4]["problem"]?["errors"]?.array?.first?["member"] == "items[4].key")
    #expect(results[6]["id"]?.string == (try api.events()).last?.id.text)
    // Sent again after a lost reply, nothing is recorded twice.
    #expect(statuses(try api.post("/v1/consents", body)) == [200, 422, 422, 422, 422, 400, 200])
    #expect(try api.events().count == 2)
  }

  @Test("of evidence names its purchases itself, and keeps the order of its elements") func evidence() throws {
    let api = try APIFixture()
    func item(_ transaction: String, _ share: Int64, environment: String = "Production") -> JSONValue {
      with(APIFixture.evidence(share: share)) {
        $0["environment"] = .string(environment)
        $0["transactionId"] = .string(transaction)
      }
    }
    let reply = try api.post(
      "/v1/evidence",
      [
        "items": [
          item("1", 1_000), item("1", 2_000), item("1", 2_000), item("2", 1_000), item("a.b", 1_000),
          item("1", 1_000, environment: "production"), item("1", 94),
        ]
      ])
    #expect(statuses(reply) == [201, 201, 200, 201, 422, 422, 422])
    #expect(
      try api.events().map(\.id.text) == [
        "evidence/purchase/Production/1/1", "evidence/purchase/Production/1/2", "evidence/purchase/Production/2/1",
      ])
  }

  @Test("holds one to a thousand elements", arguments: [(0, 422), (1, 200), (1_000, 200), (1_001, 422)])
  func bounds(count: Int, status: Int) throws {
    let api = try APIFixture()
    let items = (0..<count).map { number in
      with(APIFixture.consent(statedAt: Story.start - Int64(number))) { $0["key"] = .string("k\(number)") }
    }
    let reply = try api.post("/v1/consents", ["items": .array(items)])
    #expect(reply.status == status)
    #expect(try api.events().count == (status == 200 ? count : 0))
  }

  @Test("is refused whole where it is none", arguments: ["[]", "{}", #"{"items":{}}"#, #"{"items":[{}],"more":1}"#])
  func shape(body: String) throws {
    let api = try APIFixture()
    for path in ["/v1/consents", "/v1/evidence"] {
      let reply = try api.send(.post, path, Array(body.utf8), authorization: "Bearer \(APIFixture.token)")
      #expect([400, 422].contains(reply.status))
      #expect(reply.fields["Content-Type"] == "application/problem+json")
    }
    #expect(try api.events().isEmpty)
  }
}

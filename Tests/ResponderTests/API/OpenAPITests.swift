import Contracts
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import Responder

@Suite("The OpenAPI document") struct OpenAPITests {
  private static func document() throws -> JSONValue {
    try JSONValue(
      bytes: try #require(Project.bytes("\(Project.root)/contracts/openapi.json")),
      limits: JSONLimits(bytesMax: 4 << 20, depthMax: 64, nodesMax: 1 << 20))
  }

  @Test("lists the routes of the router with their scopes, and no other") func routes() throws {
    let api = try APIFixture()
    var listed: Set<String> = []
    for path in try #require(Self.document()["paths"]?.object).members {
      for operation in path.value.object!.members {
        listed.insert("\(operation.key.uppercased()) \(path.key) \(operation.value["x-scope"]!.string!)")
      }
    }
    #expect(listed == Set(api.endpoints.map { "\($0.method) \($0.template) \($0.scope.rawValue)" }))
  }

  @Test("names problems by code, status and title as they are") func problems() throws {
    var seen: Set<String> = []
    for path in try #require(Self.document()["paths"]?.object).members {
      for operation in path.value.object!.members {
        for reply in operation.value["responses"]!.object!.members where reply.key >= "400" {
          let examples = reply.value["content"]?["application/problem+json"]?["examples"]
          for example in try #require(examples?.object).members {
            let code = try #require(ProblemCode(rawValue: example.key))
            #expect(String(code.status) == reply.key)
            #expect(example.value["value"]?["type"]?.string == code.type)
            #expect(example.value["value"]?["title"]?.string == code.title)
            seen.insert(code.rawValue)
          }
        }
      }
    }
    #expect(seen.count > 15)
  }

  @Test("has the parameters of a search") func parameters() throws {
    let list = try Self.document()["paths"]?["/v1/cases"]?["get"]?["parameters"]?.array
    #expect(list?.compactMap { $0["name"]?.string } == CaseQuery.parameters)
  }

  @Test("shows bodies that are taken, and replies as they are") func examples() throws {
    let api = try APIFixture()
    let document = try Self.document()
    try Story(log: api.log).request()
    // In an order in which each finds what it needs.
    let calls: [(String, String, HTTPMethod)] = [
      ("/v1/texts/{bundleId}/accepted", "put", .put), ("/v1/consents", "put", .put), ("/v1/consents", "post", .post),
      ("/v1/texts/{bundleId}/{version}/{language}", "put", .put),
      ("/v1/links/{environment}/{transactionId}", "put", .put),
      ("/v1/evidence/{environment}/{transactionId}", "put", .put), ("/v1/evidence", "post", .post),
      ("/v1/access/{environment}/{transactionId}", "put", .put),
      ("/v1/cases/{environment}/{transactionId}/reviews", "post", .post),
    ]
    for (template, name, method) in calls {
      let operation = try #require(document["paths"]?[template]?[name])
      let content = operation["requestBody"]?["content"]?["application/json"]
      let example = try #require(content?["examples"]?["one"]?["value"])
      let path = try Self.path(template, operation)
      let reply = try api.send(method, path, example.bytes(), authorization: "Bearer \(APIFixture.token)")
      #expect([200, 201].contains(reply.status), "\(name) \(template): \(String(decoding: reply.body, as: UTF8.self))")
      for result in reply.json?["results"]?.array ?? [] { #expect([200, 201].contains(result["status"]?.int64)) }
      #expect(try Self.objections(reply, to: operation, in: document) == [])
    }
    try api.follow()
    for template in ["/v1/cases", "/v1/cases/{environment}/{transactionId}"] {
      let operation = try #require(document["paths"]?[template]?["get"])
      let reply = try api.get(try Self.path(template, operation))
      #expect(reply.status == 200)
      #expect(try Self.objections(reply, to: operation, in: document) == [])
    }
  }

  @Test("describes each member of a full case page, and requires none that can be absent") func pages() throws {
    let api = try APIFixture()
    let document = try Self.document()
    let operation = try #require(document["paths"]?["/v1/cases/{environment}/{transactionId}"]?["get"])
    let story = Story(log: api.log)
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts(share: 5_000))
    try story.request()
    let failing = try story.nextClaim().prepared
    try story.claim(failing)
    try story.failed(failing, .passing, retryAt: Story.start)
    let claim = try story.nextClaim().prepared
    try story.claim(claim)
    try story.sent(claim)
    try story.notification("REFUND", subtype: "SEATS", signedAt: Story.start + 9) { $0["revocationDate"] = 1 }
    let withheld = try story.notification("CONSUMPTION_REQUEST", signedAt: Story.start + 10)
    try story.add(
      ConsumptionWithheld(request: withheld, reason: .noFacts, explanation: "none", missing: ["deliveryStatus"]),
      .withheld, to: story.stream)
    try api.follow()
    let whole = try api.get("/v1/cases/Production/2000000000000001")
    #expect(try Self.objections(whole, to: operation, in: document) == [])
    let bare = Story(transactionID: "3", log: api.log)
    try bare.notification("REFUND_DECLINED", uuid: 900, account: nil)
    try api.follow()
    #expect(try Self.objections(try api.get("/v1/cases/Production/3"), to: operation, in: document) == [])
  }

  // MARK: A look at a reply with the schema beside it

  private static func path(_ template: String, _ operation: JSONValue) throws -> String {
    try (operation["parameters"]?.array ?? []).reduce(template) { path, parameter in
      guard parameter["in"] == "path" else { return path }
      return path.replacing(
        "{\(parameter["name"]!.string!)}", with: try #require(parameter["example"]?.string))
    }
  }

  private static func objections(
    _ reply: HTTPResponse, to operation: JSONValue, in document: JSONValue
  ) throws -> [String] {
    let content = operation["responses"]?[String(reply.status)]?["content"]?["application/json"]
    return objections(try #require(reply.json), try #require(content?["schema"]), document, at: "")
  }

  /// Members that the schema does not describe, or requires in vain, and words that it does not list.
  private static func objections(
    _ value: JSONValue, _ schema: JSONValue, _ document: JSONValue, at place: String
  ) -> [String] {
    if let name = schema["$ref"]?.string?.split(separator: "/").last {
      return objections(value, document["components"]!["schemas"]![String(name)]!, document, at: place)
    }
    if let words = schema["enum"]?.array, !words.contains(value) { return ["\(place): \(value) is not listed"] }
    switch (schema["type"]?.string, value) {
    case ("array", .array(let elements)):
      return elements.enumerated().flatMap {
        objections($0.element, schema["items"]!, document, at: "\(place)[\($0.offset)]")
      }
    case ("object", .object(let members)):
      let missing = (schema["required"]?.array ?? []).filter { members[$0.string!] == nil }.map {
        "\(place) lacks \($0.string!)"
      }
      return missing
        + members.members.flatMap { member -> [String] in
          let inner = schema["properties"]?[member.key] ?? schema["additionalProperties"]
          guard let inner, inner.object != nil else { return ["\(place).\(member.key) is not described"] }
          return objections(member.value, inner, document, at: "\(place).\(member.key)")
        }
    case ("string", .string), ("boolean", .bool), ("integer", .number), (nil, _): return []
    default: return ["\(place) is of another kind"]
    }
  }
}

import Contracts
import Cryptography
import EventLog
import HTTPTypes
import JSON
import Testing

@testable import Responder

@Suite("Consent texts") struct ConsentTextTests {
  private static let path = "/v1/texts/com.example.app/2026-09/en"
  private static let text: JSONValue = ["text": "May we tell Apple?"]
  private static let digest = SHA256.digest(of: "May we tell Apple?".utf8).hex

  private func consent(granted: Bool = true, digest: String? = nil, language: String? = nil) -> JSONValue {
    var call = APIFixture.consent(granted: granted).object!
    call["textVersion"] = "2026-09"
    call["textDigest"] = digest.map { .string($0) }
    call["language"] = language.map { .string($0) }
    return .object(call)
  }

  @Test("are declared once, with the digest of their bytes, and never changed") func declared() throws {
    let api = try APIFixture()
    #expect(try api.put(Self.path, Self.text).status == 201)
    let again = try api.put(Self.path, Self.text)
    #expect(again.status == 200)
    #expect(again.json?["position"] == "1")
    #expect(try api.put(Self.path, ["text": "May we?"]).problem == "consent-text-differs")
    #expect(try api.put("/v1/texts/com.example.app/2026-09/de", ["text": "Dürfen wir?"]).status == 201)
    let events = try api.events()
    #expect(events.map(\.id.text) == ["text/app/com.example.app/1", "text/app/com.example.app/2"])
    let read = try ConsentTextDeclared(data: events[0].data!)
    #expect(read.digest == Self.digest)
    #expect(read.text == "May we tell Apple?")
  }

  @Test("give consents their digest, and a digest of another text is refused") func digests() throws {
    let api = try APIFixture()
    #expect(try api.put("/v1/consents", consent()).problem == "consent-text-unknown")
    #expect(try api.put(Self.path, Self.text).status == 201)
    #expect(try api.put("/v1/consents", consent()).status == 201)
    #expect(try api.put("/v1/consents", consent(digest: Self.digest)).status == 200)
    #expect(try api.put("/v1/consents", consent(digest: Story.digest)).problem == "consent-text-differs")
    let data = try #require(api.events().last?.data)
    #expect(try ConsentRecorded(data: data).textDigest == Self.digest)
    // A no counts whatever it was said to.
    #expect(try api.put("/v1/consents", consent(granted: false, digest: Story.digest)).status == 201)
  }

  @Test("never stand in the way of a withdrawal") func withdrawals() throws {
    let api = try APIFixture()
    func digest() throws -> String { try ConsentRecorded(data: try #require(api.events().last?.data)).textDigest }
    // Of a version that nobody declared, and of one whose language nobody told: the digest of no text.
    let none = SHA256.digest(of: "".utf8).hex
    #expect(try api.put("/v1/consents", consent(granted: false)).status == 201)
    #expect(try digest() == none)
    #expect(try api.put(Self.path, Self.text).status == 201)
    #expect(try api.put("/v1/consents", consent(granted: false)).status == 201)
    #expect(try digest() == Self.digest)
    #expect(try api.put("/v1/texts/com.example.app/2026-09/de", ["text": "Dürfen wir?"]).status == 201)
    #expect(try api.put("/v1/consents", consent(granted: false)).status == 201)
    #expect(try digest() == none)
    #expect(try api.put("/v1/consents", consent(granted: false, language: "fr")).status == 200)
  }

  @Test("of one version in several languages are told apart by language") func languages() throws {
    let api = try APIFixture()
    #expect(try api.put(Self.path, Self.text).status == 201)
    #expect(try api.put("/v1/texts/com.example.app/2026-09/de-AT", ["text": "Dürfen wir?"]).status == 201)
    let unclear = try api.put("/v1/consents", consent())
    #expect(unclear.problem == "consent-text-unknown")
    #expect(String(decoding: unclear.body, as: UTF8.self).contains("de-AT, en"))
    #expect(try api.put("/v1/consents", consent(language: "en")).status == 201)
    #expect(try api.put("/v1/consents", consent(language: "fr")).problem == "consent-text-unknown")
    #expect(
      try api.put("/v1/consents", consent(digest: Self.digest, language: "de-AT")).problem == "consent-text-differs")
  }

  @Test("that were declared by another responder count too") func elsewhere() throws {
    let log = Story.memory()
    let first = try APIFixture(log: log)
    let second = try APIFixture(log: log)
    #expect(try first.put("/v1/consents", consent()).status == 422)
    #expect(try second.put(Self.path, Self.text).status == 201)
    #expect(try first.put("/v1/consents", consent()).status == 201)
    #expect(try first.put(Self.path, Self.text).status == 200)
  }

  @Test(
    "are refused where address or text cannot be meant",
    arguments: [
      ("/v1/texts/com.example.other/1/en", #"{"text":"a"}"#, "bundleId"),
      ("/v1/texts/a%20b/1/en", #"{"text":"a"}"#, "bundleId"),
      ("/v1/texts/com.example.app/1/e_n", #"{"text":"a"}"#, "language"),
      ("/v1/texts/com.example.app/1/en-", #"{"text":"a"}"#, "language"), (path, #"{"text":""}"#, "text"),
      (path, "{}", "text"), (path, #"{"text":"a","note":"b"}"#, "note"),
      ("/v1/texts/com.example.app/accepted", #"{"versions":["1","1"]}"#, "versions"),
      ("/v1/texts/com.example.app/accepted", #"{"versions":"1"}"#, "versions"),
    ])
  func refused(path: String, body: String, member: String) throws {
    let api = try APIFixture()
    let reply = try api.put(path, Array(body.utf8))
    #expect(reply.status == 422)
    #expect(reply.json?["errors"]?.array?.first?["member"]?.string == member)
    #expect(try api.events().isEmpty)
  }

  @Test("that still count are declared as a list, and an equal list leaves no event") func accepted() throws {
    let api = try APIFixture()
    let path = "/v1/texts/com.example.app/accepted"
    #expect(try api.put(path, ["versions": ["1", "2"]]).status == 201)
    #expect(try api.put(path, ["versions": ["1", "2"]]).status == 200)
    #expect(try api.put(path, ["versions": []]).status == 201)
    let events = try api.events()
    #expect(events.map(\.id.text) == ["accepted/app/com.example.app/1", "accepted/app/com.example.app/2"])
    #expect(try AcceptedTextsDeclared(data: events[1].data!).versions == [])
  }
}

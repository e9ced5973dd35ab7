import AppStore
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("A reply of the App Store Server API") struct ConsumptionReplyTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let id: String
    let status: Int
    let fields: HTTPFields
    let body: String
    let expected: String
    var testDescription: String { id }
  }

  static let rows: [Row] = {
    guard let bytes = Project.bytes("\(Project.vectors)/http/api-responses.json"),
      let document = try? JSONDocument(bytes: bytes)
    else { return [] }
    return (document.root["cases"]?.elements ?? []).map { row in
      var fields = HTTPFields()
      for member in row["headers"]?.members ?? [] { fields.append(name: member.key, value: member.value.string ?? "") }
      return Row(
        id: row["id"]?.string ?? "", status: Int(row["status"]?.int64 ?? -1), fields: fields,
        body: row["body"]?.string ?? "", expected: row["class"]?.string ?? "")
    }
  }()

  static let now: Int64 = 1_796_000_000_000

  private static func name(_ reply: ConsumptionReply.Class) -> String {
    switch reply {
    case .accepted: "accepted"
    case .refused(.checkEnvironment): "wrong-environment-or-unknown"
    case .refused: "permanent"
    case .unauthorised: "auth"
    case .limited(until: .some): "retry-at"
    case .limited(until: nil), .passing, .unknown: "retry-later"
    }
  }

  @Test("of the vectors is all there") func count() { #expect(Self.rows.count == 23) }

  @Test("is put in its class", arguments: rows)
  func classes(row: Row) throws {
    let reply =
      row.status == 0
      ? ConsumptionReply.lost
      : ConsumptionReply(
        HTTPResponse(status: row.status, fields: row.fields, body: Array(row.body.utf8)), now: Self.now)
    #expect(Self.name(reply.reply) == row.expected)
    let error = try? JSONDocument(bytes: Array(row.body.utf8)).root
    #expect(reply.errorCode == error?["errorCode"]?.int64)
    #expect(reply.errorMessage == error?["errorMessage"]?.string)
    if row.expected == "retry-at" { #expect(reply.reply == .limited(until: 1_796_000_060_000)) }
    if row.status == 0 { #expect(reply.reply == .unknown) }
  }

  @Test(
    "is judged by its status whatever its body is",
    arguments: [
      "", "{}", "null", "[1]", "<html>", "{\"errorCode\":", "{\"errorCode\":\"4000006\"}", "{\"errorCode\":1.5}",
      "\u{0}",
    ],
    [
      (202, "accepted"), (400, "permanent"), (401, "auth"), (404, "wrong-environment-or-unknown"), (429, "retry-later"),
      (500, "retry-later"), (302, "retry-later"), (403, "permanent"), (408, "retry-later"), (599, "retry-later"),
    ])
  func anyBody(body: String, row: (Int, String)) {
    let reply = ConsumptionReply(HTTPResponse(status: row.0, body: Array(body.utf8)), now: Self.now)
    #expect(Self.name(reply.reply) == row.1)
    #expect(reply.errorCode == nil)
    #expect(reply.errorMessage == nil)
  }

  @Test("keeps a code that is new, and no more of a message than is bearable") func message() {
    let long = String(repeating: "x", count: 2000)
    let body = Array("{\"errorCode\":9007199254740993,\"errorMessage\":\"a\\n\(long)\"}".utf8)
    let reply = ConsumptionReply(HTTPResponse(status: 400, body: body), now: Self.now)
    #expect(reply.errorCode == 9_007_199_254_740_993)
    #expect(reply.errorMessage?.count == 500)
    #expect(reply.errorMessage?.hasPrefix("a x") == true)
    let huge = [UInt8](repeating: 0x20, count: 1_000_000)
    #expect(ConsumptionReply(HTTPResponse(status: 500, body: huge), now: Self.now).reply == .passing)
  }

  @Test("advises to leave the percentage out where Apple says so") func advice() {
    let body = Array("{\"errorCode\":4000209}".utf8)
    #expect(
      ConsumptionReply(HTTPResponse(status: 400, body: body), now: Self.now).reply == .refused(.leaveOutPercentage))
  }

  @Test(
    "names an instant to wait for, whatever way it is written",
    arguments: [
      (nil, nil), ("", nil), ("soon", nil), ("-5", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("1.5", nil),
      ("1796000060000", 60_000), (" 1796000060000\t", 60_000),
      ("1795999999999", 0), ("1796000060", 60_000), ("1795000000", 0), ("30", 30_000), ("0", 0), ("86400", 86_400_000),
      ("86401", nil), ("999999999", nil), ("1896000060000", 86_400_000), ("9223372036854775807", 86_400_000),
      ("99999999999999999999", nil),
    ] as [(String?, Int64?)])
  func retryAfter(value: String?, wait: Int64?) {
    #expect(RetryAfter.instant(value, now: Self.now) == wait.map { Self.now + $0 })
    if let value {
      let response = HTTPResponse(status: 429, fields: ["retry-after": value])
      #expect(ConsumptionReply(response, now: Self.now).reply == .limited(until: wait.map { Self.now + $0 }))
    }
  }
}

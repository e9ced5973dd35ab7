import HTTPTypes
import Testing

@Suite("Fields")
struct HTTPFieldsTests {
  @Test("are found without regard to case and keep their order")
  func lookup() {
    var fields: HTTPFields = ["Accept": "a", "X-One": "1"]
    fields.append(name: "accept", value: "b")
    #expect(fields["ACCEPT"] == "a")
    #expect(fields.values(of: "accept") == ["a", "b"])
    fields["aCCept"] = "c"
    #expect(fields.map(\.name) == ["aCCept", "X-One"])
    fields["accept"] = nil
    fields["New"] = "n"
    #expect(fields.map(\.name) == ["X-One", "New"])
  }

  @Test(
    "hold tokens in lists",
    arguments: [
      ("close", true), ("keep-alive, Close", true), ("close,x", true), ("closed", false), ("", false),
      ("x\tclose", false),
    ])
  func tokens(value: String, expected: Bool) {
    #expect((["Connection": value] as HTTPFields).hasToken("close", in: "connection") == expected)
  }
}

@Suite("A target")
struct HTTPTargetTests {
  @Test(
    "decodes its segments",
    arguments: [
      ("/", [""]), ("/a/b", ["a", "b"]), ("/a//", ["a", "", ""]), ("/%41%2Fb/c+d", ["A/b", "c+d"]), ("/%C3%A4", ["ä"]),
    ] as [(String, [String])])
  func segments(text: String, expected: [String]) throws {
    #expect(try #require(HTTPTarget(text)).segments == expected)
  }

  @Test("gives no segments that are not text", arguments: ["/%00", "/%0A", "/%7f", "/%FF", "/%C3", "*"])
  func badSegments(text: String) throws {
    #expect(try #require(HTTPTarget(text)).segments == nil)
  }

  @Test("decodes its query as forms are written")
  func query() throws {
    let target = try #require(HTTPTarget("/x?a=1&b&c=%26+%3D=&=z&&"))
    let items = try #require(target.queryItems)
    #expect(items.map { "\($0.name)>\($0.value)" } == ["a>1", "b>", "c>& ==", ">z"])
    #expect(try #require(HTTPTarget("/x")).queryItems?.isEmpty == true)
    #expect(try #require(HTTPTarget("/x?a=%FF")).queryItems == nil)
  }

  @Test("percent-encodes what a segment cannot hold")
  func encode() { #expect(PercentEncoding.encoded("a/b c~ä") == "a%2Fb%20c~%C3%A4") }
}

@Suite("A date")
struct HTTPDateTests {
  @Test(
    "is written as RFC 9110 wants it",
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777_999, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (4_102_444_799_000, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ] as [(Int64, String)])
  func text(milliseconds: Int64, expected: String) {
    #expect(HTTPDate.text(milliseconds: milliseconds) == expected)
  }

  @Test("is read back to the second, whatever the day")
  func read() {
    for day in stride(from: Int64(-400_000), to: 400_000, by: 97) {
      let instant = day * 86_400_000 + (day & 0x7FFF) * 2_000
      #expect(HTTPDate.milliseconds(HTTPDate.text(milliseconds: instant)) == instant)
    }
  }

  @Test(
    "is not read from anything else",
    arguments: [
      "", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2001 08:49:37 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun; 06 Nov 1994 08:49:37 GMT", "784111777000",
      "Sun, 06 Nov 1994 08-49-37 GMT",
      "Sün, 6 Nov 1994 08:49:37 GMT",
    ])
  func refused(text: String) { #expect(HTTPDate.milliseconds(text) == nil) }
}

@Suite("A serializer")
struct HTTPSerializerTests {
  @Test("frames a reply itself")
  func reply() {
    let response = HTTPResponse(
      status: 200, fields: ["X": "a\r\nSet-Cookie: b", "Content-Length": "99", "bad name": "x", "connection": "x"],
      body: Array("hi".utf8))
    #expect(
      text(response, .get, .keep) == "HTTP/1.1 200 OK\r\nDate: D\r\nX: a  Set-Cookie: b\r\nContent-Length: 2\r\n\r\nhi")
    #expect(text(response, .head, .close).hasSuffix("Content-Length: 2\r\nConnection: close\r\n\r\n"))
    #expect(
      text(.empty(204), .get, .keepAndSay) == "HTTP/1.1 204 No Content\r\nDate: D\r\nConnection: keep-alive\r\n\r\n")
  }

  @Test("writes a request")
  func request() throws {
    let target = try #require(HTTPTarget("/a?b"))
    let get = HTTPSerializer.bytes(of: .get, target: target, host: "h:1", fields: ["Host": "x", "A": "b"], body: [])
    #expect(String(decoding: get, as: UTF8.self) == "GET /a?b HTTP/1.1\r\nHost: h:1\r\nA: b\r\n\r\n")
    let put = HTTPSerializer.bytes(of: .put, target: target, host: "h", fields: [:], body: [])
    #expect(String(decoding: put, as: UTF8.self) == "PUT /a?b HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
  }

  private func text(_ response: HTTPResponse, _ method: HTTPMethod, _ persistence: HTTPPersistence) -> String {
    String(decoding: HTTPSerializer.bytes(of: response, to: method, persistence: persistence, date: "D"), as: UTF8.self)
  }
}

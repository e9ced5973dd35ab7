import HTTPTypes
import Testing

@Suite("A response parser")
struct ResponseParserTests {
  @Test(
    "takes",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 [hi] keep"),
      ("HTTP/1.1 202\r\nContent-Length: 0\r\n\r\n", "202 [] keep"),
      ("HTTP/1.1 202 \r\nContent-Length: 0\r\n\r\n", "202 [] keep"),
      ("HTTP/1.1 204 No Content\r\n\r\n", "204 [] keep"),
      ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "304 [] keep"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "200 [hi] keep"),
      ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", "200 [hi] close"),
      ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 [hi] close"),
      ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi", "200 [hi] keep"),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 204 x\r\n\r\n", "204 [] keep"),
      ("HTTP/1.1 200 OK\r\n\r\nuntil the end", "200 [until the end] close"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", "fails"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", "fails"),
      ("HTTP/1.1 200 OK\r\nContent-Le", "fails"),
      ("", "fails"),
      ("HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", "fails"),
      ("HTTP/1.1 99 OK\r\n\r\n", "fails"),
      ("HTTP/1.1 600 OK\r\n\r\n", "fails"),
      ("HTTP/1.1 2000 OK\r\n\r\n", "fails"),
      ("HTTP/1.1 101 Switch\r\n\r\n", "fails"),
      ("HTTP/2 200 OK\r\n\r\n", "fails"),
      ("SSH-2.0-x\r\n\r\n", "fails"),
      ("\r\nHTTP/1.1 200 OK\r\n\r\n", "fails"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", "fails"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx", "fails"),
    ])
  func samples(text: String, expected: String) {
    let count = text.utf8.count
    #expect(ParserScript.response(text, cuts: [], ends: true) == expected)
    #expect(ParserScript.response(text, cuts: Array(0..<count), ends: true) == expected, "byte by byte")
    for cut in 0...count { #expect(ParserScript.response(text, cuts: [cut], ends: true) == expected, "cut at \(cut)") }
  }

  @Test("gives the reply to HEAD no body")
  func head() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    #expect(ParserScript.response(text, to: .head, cuts: [], ends: false) == "200 [] keep")
  }

  @Test("lets eight interim replies pass", arguments: [(8, "204 [] keep"), (9, "fails")])
  func interim(count: Int, expected: String) {
    let text = String(repeating: "HTTP/1.1 102 x\r\n\r\n", count: count) + "HTTP/1.1 204 x\r\n\r\n"
    #expect(ParserScript.response(text, cuts: [], ends: false) == expected)
  }

  @Test(
    "keeps its limits",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", "200 [0123456789] keep"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", "fails"),
      ("HTTP/1.1 200 OK\r\n\r\n0123456789", "200 [0123456789] close"),
      ("HTTP/1.1 200 OK\r\n\r\n01234567890", "fails"),
      ("HTTP/1.1 200 OK\r\nX: 0123456789012345678901234567890123456789\r\n\r\n", "fails"),
    ])
  func limits(text: String, expected: String) {
    let limits = HTTPLimits(headBytesMax: 60, bodyBytesMax: 10)
    for cuts in [[], Array(0..<text.utf8.count)] {
      #expect(ParserScript.response(text, cuts: cuts, ends: true, limits: limits) == expected)
    }
  }

  @Test("tells when more came than the reply")
  func trailing() {
    var parser = ResponseParser(replyTo: .get)
    _ = Array("HTTP/1.1 204 x\r\n\r\nHTTP".utf8).withUnsafeBytes { parser.receive($0) }
    #expect(parser.hasTrailingBytes)
  }
}

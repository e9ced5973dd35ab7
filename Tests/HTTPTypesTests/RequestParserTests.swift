import HTTPTypes
import Testing

@Suite("A request parser")
struct RequestParserTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: String
    /// What comes out in order: method and target of a request with its body, or a status.
    var expected: [String]
    var testDescription: String { name }

    init(_ name: String, _ bytes: String, _ expected: [String]) {
      self.name = name
      self.bytes = bytes
      self.expected = expected
    }
  }

  static let taken: [Sample] = [
    .init("a request without body", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / a [] keep"]),
    .init("a query", "GET /x?y=1&z HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /x?y=1&z a [] keep"]),
    .init("one empty line in front", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / a [] keep"]),
    .init("a body", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", ["POST /p a [hello] keep"]),
    .init("a body of length 0", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", ["POST /p a [] keep"]),
    .init("a chunked body", chunked("5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"), ["POST / a [hello!] keep"]),
    .init("chunk extensions", chunked("5;a=b;c=\"d\"\r\nhello\r\n0 ;x\r\n\r\n"), ["POST / a [hello] keep"]),
    .init("trailers, which are dropped", chunked("2\r\nhi\r\n0\r\nDigest: x\r\n\r\n"), ["POST / a [hi] keep"]),
    .init("a chunk size with zeros in front", chunked("0005\r\nhello\r\n00\r\n\r\n"), ["POST / a [hello] keep"]),
    .init("a chunk size in capitals", chunked("A\r\n0123456789\r\n0\r\n\r\n"), ["POST / a [0123456789] keep"]),
    .init("close", "GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", ["GET / a [] close"]),
    .init("HTTP/1.0, which closes", "GET / HTTP/1.0\r\n\r\n", ["GET /  [] close"]),
    .init(
      "HTTP/1.0 with keep-alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", ["GET /  [] keepAndSay"]),
    .init("a later minor version", "GET / HTTP/1.7\r\nHost: a\r\n\r\n", ["GET / a [] keep"]),
    .init("an absolute target", "GET http://b:1/x HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /x b:1 [] keep"]),
    .init("an absolute target without path", "GET HTTP://b?q HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /?q b [] keep"]),
    .init("an asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", ["OPTIONS * a [] keep"]),
    .init("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", ["GET /  [] keep"]),
    .init("an IPv6 Host", "GET / HTTP/1.1\r\nhOST: [::1]:80\r\n\r\n", ["GET / [::1]:80 [] keep"]),
    .init(
      "two requests at once", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
      ["GET /1 a [] keep", "GET /2 a [] keep"]),
    .init(
      "a request behind a body",
      "PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
      ["PUT /1 a [hi] keep", "GET /2 a [] keep"]),
    .init(
      "a request behind chunks", chunked("2\r\nhi\r\n0\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"),
      ["POST / a [hi] keep", "GET /2 a [] keep"]),
    .init(
      "an expectation", "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\nhi",
      ["continue", "PUT / a [hi] keep"]),
    .init(
      "an expectation without body", "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n",
      ["PUT / a [] keep"]),
    .init(
      "an expectation of HTTP/1.0, which means nothing",
      "PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", ["PUT /  [x] close"]),
    .init("field values with tabs", "GET / HTTP/1.1\r\nHost:\t a \t\r\nX: a\tb\r\n\r\n", ["GET / a [] keep"]),
    .init("UTF-8 in a field", "GET / HTTP/1.1\r\nHost: a\r\nX: ä\r\n\r\n", ["GET / a [] keep"]),
  ]

  static let refused: [Sample] = [
    .init("a bare line feed after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", ["400"]),
    .init("a bare line feed after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", ["400"]),
    .init("a bare line feed as empty line", "GET / HTTP/1.1\r\nHost: a\r\n\n", ["400"]),
    .init("a bare carriage return", "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", ["400"]),
    .init("two empty lines in front", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("a folded field", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", ["400"]),
    .init("a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", ["400"]),
    .init("a field without colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", ["400"]),
    .init("a field without name", "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", ["400"]),
    .init("a zero byte in a field", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", ["400"]),
    .init("a delete byte in a field", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n", ["400"]),
    .init("no Host", "GET / HTTP/1.1\r\n\r\n", ["400"]),
    .init("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", ["400"]),
    .init("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", ["400"]),
    .init("two blanks in the request line", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("no version", "GET /\r\nHost: a\r\n\r\n", ["400"]),
    .init("a lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("HTTP/2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", ["505"]),
    .init("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ["505"]),
    .init("a method with a colon", "G:T / HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("a method of 33 letters", String(repeating: "A", count: 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", ["501"]),
    .init("a target without slash", "GET x HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("an asterisk with GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("an absolute target without host", "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("an absolute target with user", "GET http://u@b/ HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("a half percent sign", "GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("a percent sign without digits", "GET /?%zz HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("a quote in the target", "GET /\" HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("a fragment", "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("letters beyond ASCII in the target", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", ["400"]),
    .init("two lengths that differ", lengths("5", "6"), ["400"]),
    .init("two lengths that agree", lengths("5", "5"), ["400"]),
    .init("a list of lengths", lengths("5, 5"), ["400"]),
    .init("an empty length", lengths(""), ["400"]),
    .init("a signed length", lengths("+5"), ["400"]),
    .init("a negative length", lengths("-1"), ["400"]),
    .init("a hexadecimal length", lengths("0x5"), ["400"]),
    .init("a length of 19 digits", lengths("1000000000000000000"), ["400"]),
    .init(
      "a length beside chunks", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      ["400"]),
    .init("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", ["400"]),
    .init("another coding before chunked", coding("gzip, chunked"), ["501"]),
    .init("another coding alone", coding("gzip"), ["400"]),
    .init("identity", coding("identity"), ["400"]),
    .init("chunked and a blank byte", coding("\u{0B}chunked"), ["400"]),
    .init("chunked not last", coding("chunked, gzip"), ["400"]),
    .init("chunked twice", coding("chunked\r\nTransfer-Encoding: chunked"), ["400"]),
    .init("an unknown expectation", "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n", ["417"]),
    .init("a chunk size that is none", chunked("x\r\n"), ["400"]),
    .init("an empty chunk size", chunked("\r\n"), ["400"]),
    .init("a chunk size with a sign", chunked("-1\r\n"), ["400"]),
    .init("a chunk size with 0x", chunked("0x5\r\nhello\r\n"), ["400"]),
    .init("a chunk size with a blank", chunked("5 \r\nhello\r\n"), ["400"]),
    .init("a chunk size in words", chunked("5 five\r\nhello\r\n"), ["400"]),
    .init("a chunk size with a bare line feed", chunked("5\nhello\r\n"), ["400"]),
    .init("a chunk longer than its size", chunked("5\r\nhello!\r\n0\r\n\r\n"), ["400"]),
    .init("a chunk closed by a bare line feed", chunked("5\r\nhello\n0\r\n\r\n"), ["400"]),
    .init("a chunk size past every integer", chunked("FFFFFFFFFFFFFFFFFF\r\n"), ["413"]),
    .init("a zero byte in an extension", chunked("5;\0\r\nhello\r\n"), ["400"]),
    .init("a folded trailer", chunked("0\r\nA: b\r\n c\r\n\r\n"), ["400"]),
    .init(
      "a request behind a good one", "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n",
      ["GET / a [] keep", "400"]),
  ]

  @Test("takes", arguments: taken)
  func takes(sample: Sample) { check(sample) }

  @Test("refuses", arguments: refused)
  func refuses(sample: Sample) { check(sample) }

  private func check(_ sample: Sample) {
    let bytes = Array(sample.bytes.utf8)
    #expect(ParserScript.run(bytes, cuts: []) == sample.expected)
    #expect(ParserScript.run(bytes, cuts: Array(1..<max(bytes.count, 1))) == sample.expected, "fed byte by byte")
    for cut in 0...bytes.count {
      #expect(ParserScript.run(bytes, cuts: [cut]) == sample.expected, "cut at \(cut)")
    }
  }

  private static func chunked(_ body: String) -> String { coding("chunked") + body }
  private static func coding(_ coding: String) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n\r\n"
  }
  private static func lengths(_ lengths: String...) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n" + lengths.map { "Content-Length: \($0)\r\n" }.joined() + "\r\nhello"
  }
}

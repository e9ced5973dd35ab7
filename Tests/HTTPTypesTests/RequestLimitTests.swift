import HTTPTypes
import Testing

@Suite("The limits of a request")
struct RequestLimitTests {
  private static let limits = HTTPLimits(headBytesMax: 200, bodyBytesMax: 10, fieldsMax: 3)

  @Test("hold for the head in bytes", arguments: [(199, "GET"), (200, "GET"), (201, "431"), (5000, "431")])
  func head(bytes: Int, expected: String) {
    let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
    let text = start + String(repeating: "x", count: bytes - start.utf8.count - 4) + "\r\n\r\n"
    check(text, expected)
  }

  @Test("hold for the request line", arguments: [(100, "GET"), (200, "414"), (5000, "414")])
  func line(bytes: Int, expected: String) {
    check("GET /" + String(repeating: "x", count: bytes) + " HTTP/1.1\r\nHost: a\r\n\r\n", expected)
  }

  @Test("hold for the number of fields", arguments: [(1, "GET"), (3, "GET"), (4, "431")])
  func fields(count: Int, expected: String) {
    let others = (1..<count).map { "X\($0): y\r\n" }.joined()
    check("GET / HTTP/1.1\r\nHost: a\r\n\(others)\r\n", expected)
  }

  @Test("hold for a body of known length", arguments: [(0, "PUT"), (9, "PUT"), (10, "PUT"), (11, "413")])
  func length(bytes: Int, expected: String) {
    check(
      "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes)\r\n\r\n" + String(repeating: "b", count: bytes), expected)
  }

  @Test(
    "hold for the sum of chunks",
    arguments: [
      ("a\r\n0123456789\r\n0\r\n\r\n", "PUT"), ("9\r\n012345678\r\n1\r\n9\r\n0\r\n\r\n", "PUT"),
      ("b\r\n", "413"), ("9\r\n012345678\r\n2\r\n", "413"),
    ])
  func chunks(body: String, expected: String) {
    check("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body, expected)
  }

  @Test("hold for a chunk line", arguments: [(256, "PUT"), (257, "400")])
  func chunkLine(bytes: Int, expected: String) {
    let line = "1;" + String(repeating: "x", count: bytes - 4) + "\r\n"
    check("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(line)y\r\n0\r\n\r\n", expected)
  }

  @Test("hold for all extensions of a body", arguments: [(16, "PUT"), (17, "400")])
  func extensions(count: Int, expected: String) {
    let line = "1;" + String(repeating: "x", count: 252) + "\r\n"
    let limits = HTTPLimits(bodyBytesMax: 100)
    let chunks = String(repeating: line + "y\r\n", count: count)
    // 16 times 253 and once 48 are exactly 4096.
    let last = "0;" + String(repeating: "x", count: 47) + "\r\n\r\n"
    check("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)\(last)", expected, limits)
  }

  @Test("hold for trailers", arguments: [(4096, "PUT"), (4097, "400")])
  func trailers(bytes: Int, expected: String) {
    let trailer = "X: " + String(repeating: "x", count: bytes - 7) + "\r\n\r\n"
    check("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(trailer)", expected)
  }

  @Test("hold for the number of trailers", arguments: [(3, "PUT"), (4, "431")])
  func trailerCount(count: Int, expected: String) {
    let trailers = String(repeating: "X: y\r\n", count: count)
    check("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(trailers)\r\n", expected)
  }

  @Test("let a large body through whole, whatever the pieces", arguments: [1000, 1460, 19_000, 65_536])
  func large(piece: Int) {
    let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let bytes = Array("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    var parser = RequestParser()
    var received: [UInt8]?
    for start in stride(from: 0, to: bytes.count, by: piece) {
      let action = bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes { parser.receive($0) }
      if case .request(let request, _) = action { received = request.body }
    }
    #expect(received == body)
    #expect(parser.phase == .betweenRequests)
    #expect(parser.pendingBytes == 0)
  }

  @Test("are watched by phases")
  func phases() {
    var parser = RequestParser()
    #expect(parser.phase == .betweenRequests)
    feed(&parser, "PUT / HT")
    #expect(parser.phase == .head)
    feed(&parser, "TP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
    #expect(parser.phase == .body)
    feed(&parser, "hiGET")
    #expect(parser.phase == .head)
    #expect(parser.pendingBytes == 3)
  }

  private func feed(_ parser: inout RequestParser, _ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { parser.receive($0) }
  }

  private func check(_ text: String, _ expected: String, _ limits: HTTPLimits = RequestLimitTests.limits) {
    let bytes = Array(text.utf8)
    for cuts in [[], Array(1..<bytes.count), [bytes.count / 2]] {
      let out = ParserScript.run(bytes, cuts: cuts, limits: limits)
      #expect(out.count == 1)
      #expect(out.first?.hasPrefix(expected) == true, "\(out)")
    }
  }
}

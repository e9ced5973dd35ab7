/// What the fields of a head say about the length of the body (RFC 9112 §6.3).
enum MessageFraming {
  /// Nil when neither Content-Length nor Transfer-Encoding is there.
  static func read(_ fields: HTTPFields, isHTTP10: Bool) throws(HTTPParseFailure) -> BodyReader.Framing? {
    let codings = fields.values(of: "Transfer-Encoding")
    let lengths = fields.values(of: "Content-Length")
    if !codings.isEmpty {
      guard lengths.isEmpty else {
        throw HTTPParseFailure(400, "Content-Length and Transfer-Encoding stand together (RFC 9112 6.3)")
      }
      guard !isHTTP10 else { throw HTTPParseFailure(400, "HTTP/1.0 has no Transfer-Encoding (RFC 9112 6.1)") }
      guard codings.count == 1 else { throw HTTPParseFailure(400, "Transfer-Encoding is repeated") }
      let coding = codings[0].lowercased()
      guard coding != "chunked" else { return .chunked }
      throw coding.hasSuffix(",chunked") || coding.hasSuffix(", chunked")
        ? HTTPParseFailure(501, "a transfer coding other than chunked is not taken")
        : HTTPParseFailure(400, "the last transfer coding is not chunked (RFC 9112 6.3)")
    }
    guard let length = lengths.first else { return nil }
    guard lengths.count == 1 else { throw HTTPParseFailure(400, "Content-Length is repeated") }
    guard !length.isEmpty, length.utf8.count <= 18, length.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let number = Int(length)
    else { throw HTTPParseFailure(400, "Content-Length is not a number of at most 18 digits") }
    return .length(number)
  }

  /// `HTTP/1.x` to x; anything else is refused.
  static func minorVersion(_ bytes: UnsafeRawBufferPointer) throws(HTTPParseFailure) -> Int {
    guard bytes.count == 8, bytes.part(0..<5).isText("http/"), bytes[0] == UInt8(ascii: "H"),
      bytes[1] == UInt8(ascii: "T"), bytes[2] == UInt8(ascii: "T"), bytes[3] == UInt8(ascii: "P"),
      let major = digit(bytes[5]), bytes[6] == UInt8(ascii: "."), let minor = digit(bytes[7])
    else { throw HTTPParseFailure(400, "the first line does not name a version of HTTP") }
    guard major == 1 else { throw HTTPParseFailure(505, "only HTTP/1.0 and HTTP/1.1 are spoken here") }
    return minor
  }

  static func digit(_ byte: UInt8) -> Int? {
    byte >= 0x30 && byte <= 0x39 ? Int(byte - 0x30) : nil
  }
}

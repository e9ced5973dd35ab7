/// Everything before the body of a reply, checked (RFC 9112 §4).
struct ResponseHead {
  var status: Int
  var fields: HTTPFields
  var framing: BodyReader.Framing
  var keepAlive: Bool

  var isInterim: Bool { status < 200 }

  init(_ bytes: UnsafeRawBufferPointer, limits: HTTPLimits) throws(HTTPParseFailure) {
    guard let feed = bytes.firstLineFeed(from: 0) else { throw HTTPParseFailure(400, "there is no status line") }
    let line = bytes.part(0..<feed - 1)
    guard line.count >= 12, line[8] == 0x20, line.count == 12 || line[12] == 0x20 else {
      throw HTTPParseFailure(400, "the status line is not version, status and reason")
    }
    let minor = try MessageFraming.minorVersion(line.part(0..<8))
    guard let hundreds = MessageFraming.digit(line[9]), let tens = MessageFraming.digit(line[10]),
      let ones = MessageFraming.digit(line[11]), (1...5).contains(hundreds)
    else { throw HTTPParseFailure(400, "the status is not a number from 100 to 599") }
    for byte in line.part(12..<line.count) where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
      throw HTTPParseFailure(400, "the reason holds a control character")
    }
    status = hundreds * 100 + tens * 10 + ones
    guard status != 101 else { throw HTTPParseFailure(400, "the peer switched protocols unasked") }
    fields = try FieldLines.read(bytes.part(feed + 1..<bytes.count), fieldsMax: limits.fieldsMax)
    let announced = try MessageFraming.read(fields, isHTTP10: minor == 0)
    framing = announced ?? .untilClose
    if fields.hasToken("close", in: "Connection") {
      keepAlive = false
    } else {
      keepAlive = minor > 0 || fields.hasToken("keep-alive", in: "Connection")
    }
  }
}

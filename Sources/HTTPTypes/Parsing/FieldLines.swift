/// Reads the field lines of a head or of trailers, strictly (RFC 9112 §5).
enum FieldLines {
  /// - Parameter lines: whole lines, each closed by CR LF; an empty line ends the reading.
  static func read(_ lines: UnsafeRawBufferPointer, fieldsMax: Int) throws(HTTPParseFailure) -> HTTPFields {
    var fields = HTTPFields()
    var start = 0
    while let feed = lines.firstLineFeed(from: start) {
      let line = lines.part(start..<feed - 1)
      start = feed + 1
      if line.isEmpty { break }
      guard fields.count < fieldsMax else { throw HTTPParseFailure(431, "there are more fields than the limit") }
      let (name, value) = try field(line)
      fields.append(name: name, value: value)
    }
    return fields
  }

  /// One line without its end.
  static func field(_ line: UnsafeRawBufferPointer) throws(HTTPParseFailure) -> (name: String, value: String) {
    if line.first == 0x20 || line.first == 0x09 {
      throw HTTPParseFailure(400, "a field is folded over lines (RFC 9112 5.2)")
    }
    var colon = 0
    while colon < line.count, ByteSet.token.contains(line[colon]) { colon += 1 }
    guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
      throw HTTPParseFailure(400, "a field name is not a token followed by a colon (RFC 9112 5.1)")
    }
    var first = colon + 1
    var end = line.count
    while first < end, line[first] == 0x20 || line[first] == 0x09 { first += 1 }
    while end > first, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
    let value = line.part(first..<end)
    for byte in value where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
      throw HTTPParseFailure(400, "a field value holds a control character (RFC 9110 5.5)")
    }
    guard let text = String(validating: value, as: UTF8.self) else {
      throw HTTPParseFailure(400, "a field value is not UTF-8")
    }
    return (String(decoding: line.part(0..<colon), as: UTF8.self), text)
  }
}

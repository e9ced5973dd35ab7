/// Finds the end of a string and checks everything in between: control characters, escapes, UTF-8.
struct JSONStringScanner {
  typealias Fault = JSONReader.Fault

  let text: UnsafeBufferPointer<UInt8>
  /// Just past the opening quote when made, just past the closing one after `scan`.
  var offset: Int

  /// - Returns: whether a backslash was seen.
  mutating func scan() throws(Fault) -> Bool {
    var escaped = false
    while true {
      skipPlain()
      guard offset < text.count else { throw Fault(reason: .unexpectedEnd, offset: offset) }
      switch text[offset] {
      case UInt8(ascii: "\""):
        offset += 1
        return escaped
      case UInt8(ascii: "\\"):
        escaped = true
        try escape()
      case 0..<0x20: throw Fault(reason: .controlCharacter(text[offset]), offset: offset)
      case 0x80...: try multibyte()
      default: offset += 1
      }
    }
  }

  /// Passes plain ASCII eight bytes at a time; stops at or before the first byte that needs a look.
  private mutating func skipPlain() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    while offset + 8 <= text.count {
      let word = UnsafeRawPointer(text.baseAddress! + offset).loadUnaligned(as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let special =
        word | (word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
      if special & highs != 0 { return }
      offset += 8
    }
  }

  private mutating func escape() throws(Fault) {
    let start = offset
    guard offset + 1 < text.count else { throw Fault(reason: .unexpectedEnd, offset: text.count) }
    let letter = text[offset + 1]
    offset += 2
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"): break
    default: throw Fault(reason: .badEscape, offset: start)
    }
    let unit = try fourDigits(start)
    if unit & 0xFC00 == 0xDC00 { throw Fault(reason: .loneSurrogate, offset: start) }
    guard unit & 0xFC00 == 0xD800 else { return }
    guard offset + 1 < text.count, text[offset] == UInt8(ascii: "\\"), text[offset + 1] == UInt8(ascii: "u") else {
      throw Fault(reason: .loneSurrogate, offset: start)
    }
    offset += 2
    if try fourDigits(start) & 0xFC00 != 0xDC00 { throw Fault(reason: .loneSurrogate, offset: start) }
  }

  private mutating func fourDigits(_ start: Int) throws(Fault) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard offset < text.count else { throw Fault(reason: .unexpectedEnd, offset: text.count) }
      guard let digit = Self.hexDigit(text[offset]) else { throw Fault(reason: .badEscape, offset: start) }
      unit = unit << 4 | UInt32(digit)
      offset += 1
    }
    return unit
  }

  /// One sequence of two to four bytes, as Unicode table 3-7 allows (no overlong forms, no surrogates).
  private mutating func multibyte() throws(Fault) {
    let start = offset
    let lead = text[offset]
    let (length, second): (Int, ClosedRange<UInt8>) =
      switch lead {
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      default: (0, 0...0)
      }
    guard length > 0, start + length <= text.count, second.contains(text[start + 1]) else {
      throw Fault(reason: .badUTF8, offset: start)
    }
    for index in start + 2..<start + length where text[index] & 0xC0 != 0x80 {
      throw Fault(reason: .badUTF8, offset: start)
    }
    offset += length
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

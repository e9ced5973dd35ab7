/// RFC 4648 §4 with padding, in its one canonical form, so that what was read is written back byte for byte.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bits <<= 8 * UInt32(3 - group.count)
      for place in 0..<4 {
        text.append(place <= group.count ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// nil for anything but the canonical form (RFC 4648 §3.5: bits that are not used are zero).
  static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
      let isLast = start + 4 == digits.count
      let group = digits[start..<start + 4]
      let padded = isLast ? group.reversed().prefix { $0 == padding }.count : 0
      guard padded <= 2 else { return nil }
      var bits: UInt32 = 0
      for digit in group.dropLast(padded) {
        guard let value = value(of: digit) else { return nil }
        bits = bits << 6 | value
      }
      bits <<= 6 * UInt32(padded)
      guard bits & (padded == 2 ? 0xFFFF : padded == 1 ? 0xFF : 0) == 0 else { return nil }
      for place in 0..<(3 - padded) { bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * UInt32(place)))) }
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 0x41
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 0x61 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

extension JSONReader {
  /// Resolves the escapes of a string's content, which the scanner has found to be good.
  static func unescape(_ content: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    var index = content.startIndex
    while index < content.endIndex {
      guard content[index] == UInt8(ascii: "\\") else {
        result.append(content[index])
        index += 1
        continue
      }
      let letter = content[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        var unit = hex(content[index..<index + 4])
        index += 4
        if unit & 0xFC00 == 0xD800 {
          // The scanner has seen that the low half follows.
          unit = 0x10000 + (unit & 0x3FF) << 10 + hex(content[index + 2..<index + 6]) & 0x3FF
          index += 6
        }
        result.append(contentsOf: String(UnicodeScalar(unit)!).utf8)
      default: result.append(letter)
      }
    }
    return result
  }

  private static func hex(_ digits: ArraySlice<UInt8>) -> UInt32 {
    digits.reduce(0) { $0 << 4 | UInt32(JSONStringScanner.hexDigit($1)!) }
  }
}

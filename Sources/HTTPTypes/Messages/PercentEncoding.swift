/// Percent-encoding (RFC 3986 §2.1), strict on the way in.
public enum PercentEncoding {
  /// Encodes everything but the unreserved characters, so that the text fits a path segment or a query value.
  public static func encoded(_ text: String) -> String {
    let digits: [UInt8] = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if ByteSet.unreserved.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Nil when a percent sign is not followed by two digits, or the result is not UTF-8 or holds a control character.
  static func decoded<Bytes: Sequence>(_ encoded: Bytes, plusIsSpace: Bool) -> String?
  where Bytes.Element == UInt8 {
    var bytes: [UInt8] = []
    var rest = encoded.makeIterator()
    while var byte = rest.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal) else {
          return nil
        }
        byte = high << 4 | low
      } else if plusIsSpace, byte == UInt8(ascii: "+") {
        byte = 0x20
      }
      guard byte >= 0x20, byte != 0x7F else { return nil }
      bytes.append(byte)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  static func isWellFormed(_ bytes: UnsafeRawBufferPointer, allowed: ByteSet) -> Bool {
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%") {
        guard index + 2 < bytes.count, hexadecimal(bytes[index + 1]) != nil, hexadecimal(bytes[index + 2]) != nil
        else { return false }
        index += 3
      } else {
        guard allowed.contains(bytes[index]) else { return false }
        index += 1
      }
    }
    return true
  }

  static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

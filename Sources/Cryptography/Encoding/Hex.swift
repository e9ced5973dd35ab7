/// Base 16, two digits per byte.
public enum Hex {
  /// Lower-case digits.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    withBytes(bytes) { bytes in
      String(unsafeUninitializedCapacity: bytes.count * 2) { output in
        for (index, byte) in bytes.enumerated() {
          output[2 * index] = digit(byte >> 4)
          output[2 * index + 1] = digit(byte & 15)
        }
        return bytes.count * 2
      }
    }
  }

  /// Reads digits of either case; nil for an odd count or any other character.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

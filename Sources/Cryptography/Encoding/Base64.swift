/// Base 64 with the standard alphabet (RFC 4648 §4), strictly: padded, no line breaks, no spare bits.
public enum Base64 {
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: encodeBytes(bytes), as: UTF8.self)
  }

  /// The text as ASCII bytes.
  public static func encodeBytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
    withBytes(bytes) { Base64Alphabet.standard.encode($0, padded: true) }
  }

  /// Nil for anything but the one text that `encode` gives for some bytes.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    withBytes(text) { text in
      guard text.count.isMultiple(of: 4) else { return nil }
      var count = text.count
      while count > 0, text.count - count < 2, text[count - 1] == UInt8(ascii: "=") { count -= 1 }
      let decoded = Base64Alphabet.standard.decode(UnsafeBufferPointer(rebasing: text[..<count]))
      guard let decoded, decoded.isCanonical else { return nil }
      return decoded.bytes
    }
  }

  public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(text.utf8) }
}

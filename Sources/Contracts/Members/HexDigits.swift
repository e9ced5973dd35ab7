/// Lower-case hex digits, as digests and pseudonyms are written.
enum HexDigits {
  /// Whether the text is 64 lower-case hex digits: 32 bytes.
  static func areDigest(_ text: String) -> Bool { text.utf8.count == 64 && areLowerCase(text) }

  /// Whether the text holds lower-case hex digits and nothing else; false where it is empty.
  static func areLowerCase(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }
  }
}

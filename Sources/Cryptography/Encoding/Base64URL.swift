/// Base 64 with the alphabet for URLs (RFC 4648 §5), without padding as JWS wants it (RFC 7515 §2).
public enum Base64URL {
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: encodeBytes(bytes), as: UTF8.self)
  }

  /// The text as ASCII bytes.
  public static func encodeBytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
    withBytes(bytes) { Base64Alphabet.url.encode($0, padded: false) }
  }

  /// Nil for padding, white space or any other character outside the alphabet.
  ///
  /// `isCanonical` is false where the last character carries bits that no byte takes: the bytes are right, but
  /// `encode` gives another text for them.
  public static func decode(_ text: some Collection<UInt8>) -> (bytes: [UInt8], isCanonical: Bool)? {
    withBytes(text) { Base64Alphabet.url.decode($0) }
  }

  public static func decode(_ text: some StringProtocol) -> (bytes: [UInt8], isCanonical: Bool)? {
    decode(text.utf8)
  }
}

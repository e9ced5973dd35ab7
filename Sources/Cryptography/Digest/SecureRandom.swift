import COpenSSL

/// Bytes nobody can guess.
public enum SecureRandom {
  /// - Parameter count: at most 2^31 − 1.
  public static func bytes(_ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      // Without randomness no key, token or salt may be made; there is nothing sensible to go on with.
      precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "the system gives no random bytes")
      initialized = count
    }
  }

  /// A random UUID (RFC 9562, version 4), lower case.
  public static func uuid() -> String {
    var bytes = bytes(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = Array(Hex.encode(bytes).utf8)
    let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }
}

/// A set of ASCII bytes, asked once per byte of every head; two words instead of a table.
struct ByteSet: Sendable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init(_ characters: StaticString) {
    characters.withUTF8Buffer { bytes in
      for byte in bytes { insert(byte) }
    }
  }

  private mutating func insert(_ byte: UInt8) {
    precondition(byte < 128, "a ByteSet holds ASCII only")
    if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    if byte < 64 { return low & (1 << UInt64(byte)) != 0 }
    return byte < 128 && high & (1 << UInt64(byte - 64)) != 0
  }

  func holdsAll<Bytes: Sequence>(_ bytes: Bytes) -> Bool where Bytes.Element == UInt8 {
    bytes.allSatisfy { contains($0) }
  }

  /// RFC 9110 §5.6.2, tchar.
  static let token = ByteSet("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// RFC 3986 §3.3, pchar without percent, and the slash.
  static let path = ByteSet("/:@!$&'()*+,;=-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// RFC 3986 §3.4, without percent.
  static let query = ByteSet("?/:@!$&'()*+,;=-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// RFC 3986 §2.3.
  static let unreserved = ByteSet("-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// RFC 3986 §3.2.2: reg-name, literals in brackets, and the colon before a port.
  static let authority = ByteSet(
    "[]:%!$&'()*+,;=-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

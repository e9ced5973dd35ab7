/// The 32 bytes of a SHA-256, as a value that can be a key. Not for secrets: comparing takes as long as the
/// common beginning, use `ConstantTime` there.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  private var words: (UInt64, UInt64, UInt64, UInt64)

  /// - Parameter bytes: exactly 32; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    words = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
  }

  init(filling body: (UnsafeMutablePointer<UInt8>) -> Void) {
    words = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { body($0.baseAddress!.assumingMemoryBound(to: UInt8.self)) }
  }

  public var bytes: [UInt8] { withUnsafeBytes(of: words) { [UInt8]($0) } }

  /// Lends the bytes without a copy.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(of: words) { body($0) }
  }

  /// Whether these are its bytes; false for any other count than 32.
  public func equals(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == 32
      && (
        bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
      ) == words
  }

  /// 64 lower-case digits.
  public var hex: String { Hex.encode(bytes) }

  public var description: String { hex }

  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  public func hash(into hasher: inout Hasher) {
    // A digest is evenly spread, so one word of it is hash enough; the hasher's seed keeps it from being chosen.
    hasher.combine(words.0)
  }
}

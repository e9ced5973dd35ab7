/// Finds where a head ends, looking at each byte once however the bytes arrive.
struct HeadScanner {
  /// First byte not looked at yet, and where the line it belongs to begins.
  private var scanned = 0
  private var lineStart = 0
  private var linesSeen = 0
  private var sawLeadingEmptyLine = false
  private let allowsLeadingEmptyLine: Bool

  init(allowsLeadingEmptyLine: Bool) { self.allowsLeadingEmptyLine = allowsLeadingEmptyLine }

  /// - Parameter input: everything since the head began; the same bytes and more on each call.
  /// - Returns: length of the head with its closing empty line, nil when that has not come yet.
  mutating func end(in input: UnsafeRawBufferPointer, limit: Int) throws(HTTPParseFailure) -> Int? {
    while let feed = input.firstLineFeed(from: scanned) {
      guard feed < limit else { throw tooLarge }
      guard feed > lineStart, input[feed - 1] == 0x0D else {
        throw HTTPParseFailure(400, "a line ends with a bare line feed (RFC 9112 2.2)")
      }
      let isEmpty = feed - 1 == lineStart
      scanned = feed + 1
      lineStart = feed + 1
      if !isEmpty {
        linesSeen += 1
      } else if linesSeen > 0 {
        return feed + 1
      } else if allowsLeadingEmptyLine, !sawLeadingEmptyLine {
        sawLeadingEmptyLine = true
      } else {
        throw HTTPParseFailure(400, "an empty line stands where the first line should")
      }
    }
    scanned = input.count
    guard input.count < limit else { throw tooLarge }
    return nil
  }

  private var tooLarge: HTTPParseFailure {
    linesSeen == 0
      ? HTTPParseFailure(414, "the first line is longer than the head may be")
      : HTTPParseFailure(431, "the head is longer than its limit")
  }
}

extension UnsafeRawBufferPointer {
  /// Index of the first line feed at or after `start`; looks at eight bytes at a time.
  func firstLineFeed(from start: Int) -> Int? {
    guard start < count else { return nil }
    var index = start
    let ones: UInt64 = 0x0101_0101_0101_0101
    while index + 8 <= count {
      // A byte of `word` is zero where the input has a line feed; the classic test for a zero byte follows.
      let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ (ones &* 0x0A)
      let zeros = (word &- ones) & ~word & (ones &* 0x80)
      if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count {
      if self[index] == 0x0A { return index }
      index += 1
    }
    return nil
  }

  /// The bytes of a range as a buffer of its own; no copy.
  func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

  /// True when the bytes are this ASCII text without regard to the case of its letters.
  func isText(_ lowercased: StaticString) -> Bool {
    guard count == lowercased.utf8CodeUnitCount else { return false }
    for index in 0..<count {
      let byte = self[index]
      let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      if (isUpper ? byte | 0x20 : byte) != lowercased.utf8Start[index] { return false }
    }
    return true
  }
}

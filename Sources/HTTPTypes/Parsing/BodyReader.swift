/// Takes the content of a message out of its framing (RFC 9112 §6 and §7), within a bound.
struct BodyReader {
  enum Framing: Hashable {
    case length(Int)
    case chunked
    /// Replies only: the end of the connection ends the body.
    case untilClose
  }

  private enum State {
    case content(remaining: Int)
    case chunkSize
    case chunk(remaining: Int)
    case chunkEnd
    case trailers
    case untilClose
    case done
  }

  /// A chunk-size line with its extensions and line end; extensions in a whole body; trailers.
  static let sizeLineBytesMax = 256
  static let extensionBytesMax = 4096
  static let trailerBytesMax = 4096
  /// What is reserved before the bytes are there: a peer that only announces a body costs no more.
  private static let reservedBytesMax = 64 * 1024

  private(set) var body: [UInt8] = []
  private var state: State
  private let limits: HTTPLimits
  private var extensionBytes = 0
  private var trailerBytes = 0
  private var trailerCount = 0

  init(_ framing: Framing, limits: HTTPLimits) throws(HTTPParseFailure) {
    self.limits = limits
    switch framing {
    case .length(let length):
      guard length <= limits.bodyBytesMax else { throw Self.tooLarge }
      state = length == 0 ? .done : .content(remaining: length)
      body.reserveCapacity(min(length, Self.reservedBytesMax))
    case .chunked: state = .chunkSize
    case .untilClose: state = .untilClose
    }
  }

  var isDone: Bool {
    if case .done = state { true } else { false }
  }

  /// The end of the connection has come. True when the body is complete with it.
  mutating func endOfInput() -> Bool {
    if case .untilClose = state { state = .done }
    return isDone
  }

  /// - Returns: how many bytes of `input` are used up; the rest has to come again with more behind it.
  mutating func read(_ input: UnsafeRawBufferPointer) throws(HTTPParseFailure) -> Int {
    var used = 0
    while true {
      switch state {
      case .done: return used
      case .content(let remaining):
        let taken = take(remaining, of: input, at: &used)
        state = taken == remaining ? .done : .content(remaining: remaining - taken)
        if taken < remaining { return used }
      case .chunk(let remaining):
        let taken = take(remaining, of: input, at: &used)
        state = taken == remaining ? .chunkEnd : .chunk(remaining: remaining - taken)
        if taken < remaining { return used }
      case .untilClose:
        guard input.count - used <= limits.bodyBytesMax - body.count else { throw Self.tooLarge }
        _ = take(.max, of: input, at: &used)
        return used
      case .chunkSize:
        guard let line = try line(of: input, at: &used, limit: Self.sizeLineBytesMax) else { return used }
        let size = try chunkSize(line)
        state = size == 0 ? .trailers : .chunk(remaining: size)
      case .chunkEnd:
        guard let line = try line(of: input, at: &used, limit: 2) else { return used }
        guard line.isEmpty else { throw HTTPParseFailure(400, "a chunk is longer than its size says") }
        state = .chunkSize
      case .trailers:
        let start = used
        guard let line = try line(of: input, at: &used, limit: Self.trailerBytesMax - trailerBytes) else { return used }
        trailerBytes += used - start
        if line.isEmpty {
          state = .done
        } else {
          // Trailers are looked at, so that nothing odd hides in them, and dropped.
          trailerCount += 1
          guard trailerCount <= limits.fieldsMax else {
            throw HTTPParseFailure(431, "there are more trailers than the limit")
          }
          _ = try FieldLines.field(line)
        }
      }
    }
  }

  private mutating func take(_ count: Int, of input: UnsafeRawBufferPointer, at used: inout Int) -> Int {
    let taken = min(count, input.count - used)
    body.append(contentsOf: input.part(used..<used + taken))
    used += taken
    return taken
  }

  /// The next line without its end; nil when it is not complete yet.
  private func line(
    of input: UnsafeRawBufferPointer, at used: inout Int, limit: Int
  ) throws(HTTPParseFailure) -> UnsafeRawBufferPointer? {
    guard let feed = input.firstLineFeed(from: used), feed - used < limit else {
      guard input.count - used < limit else { throw HTTPParseFailure(400, "a line inside a chunked body is too long") }
      return nil
    }
    guard feed > used, input[feed - 1] == 0x0D else {
      throw HTTPParseFailure(400, "a line inside a chunked body ends with a bare line feed")
    }
    defer { used = feed + 1 }
    return input.part(used..<feed - 1)
  }

  private mutating func chunkSize(_ line: UnsafeRawBufferPointer) throws(HTTPParseFailure) -> Int {
    var size = 0
    var digits = 0
    while digits < line.count, let digit = PercentEncoding.hexadecimal(line[digits]) {
      // Far past every limit the value stays where it is, so that it cannot overflow.
      if size <= limits.bodyBytesMax { size = size * 16 + Int(digit) }
      digits += 1
    }
    guard digits > 0 else { throw HTTPParseFailure(400, "a chunk size is not a hexadecimal number") }
    try checkExtensions(line.part(digits..<line.count))
    guard size <= limits.bodyBytesMax - body.count else { throw Self.tooLarge }
    return size
  }

  /// Extensions are skipped; what they look like is checked only so far that nothing else passes as one.
  private mutating func checkExtensions(_ bytes: UnsafeRawBufferPointer) throws(HTTPParseFailure) {
    extensionBytes += bytes.count
    guard extensionBytes <= Self.extensionBytesMax else {
      throw HTTPParseFailure(400, "the chunk extensions are longer than their limit")
    }
    guard let first = bytes.first(where: { $0 != 0x20 && $0 != 0x09 }) else {
      if bytes.isEmpty { return }
      throw HTTPParseFailure(400, "a chunk size is followed by blanks")
    }
    guard first == UInt8(ascii: ";"), bytes.allSatisfy({ ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x09 }) else {
      throw HTTPParseFailure(400, "a chunk size is not a hexadecimal number")
    }
  }

  static let tooLarge = HTTPParseFailure(413, "the body is longer than its limit")
}

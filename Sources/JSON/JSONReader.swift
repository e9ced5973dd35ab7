import Glibc

/// Reads a text once, from front to back, onto a tape. No recursion: depth costs a stack entry, not a frame.
struct JSONReader {
  typealias Reason = JSONError.Reason

  private let text: UnsafeBufferPointer<UInt8>
  private let limits: JSONLimits
  private var offset = 0
  private var tape: [JSONNode] = []
  /// Nodes of the arrays and objects that are open, innermost last.
  private var open: [Int] = []
  /// Of the object that was closed last.
  private var keys: [(node: Int, mark: UInt64)] = []

  static func read(_ bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> [JSONNode] {
    let result = bytes.withUnsafeBufferPointer { text -> Result<[JSONNode], JSONError> in
      var reader = JSONReader(text: text, limits: limits)
      do throws(Fault) {
        return .success(try reader.document())
      } catch {
        let (line, column) = position(of: error.offset, in: bytes)
        return .failure(JSONError(reason: error.reason, offset: error.offset, line: line, column: column))
      }
    }
    return try result.get()
  }

  static func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    var line = 1
    var start = 0
    for index in 0..<min(offset, bytes.count) where bytes[index] == UInt8(ascii: "\n") {
      line += 1
      start = index + 1
    }
    return (line, offset - start + 1)
  }

  struct Fault: Error {
    var reason: Reason
    var offset: Int
  }

  private init(text: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
    self.text = text
    self.limits = limits
    tape.reserveCapacity(min(256, text.count / 8 + 1))
  }

  // MARK: The grammar

  private mutating func document() throws(Fault) -> [JSONNode] {
    guard text.count <= limits.bytesMax else { throw fault(.overLimit("bytes", max: limits.bytesMax)) }
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { throw fault(.byteOrderMark) }
    skipSpace()
    try value()
    while !open.isEmpty { try member() }
    skipSpace()
    guard offset == text.count else { throw fault(.trailing) }
    return tape
  }

  /// What stands next inside the innermost array or object: its end, or a comma and one more value.
  private mutating func member() throws(Fault) {
    let parent = open.last!
    let isObject = tape[parent].kind == .object
    let isFirst = tape.count == parent + 1
    skipSpace()
    let byte = try peek()
    if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      offset += 1
      return try close(parent)
    }
    if !isFirst {
      guard byte == UInt8(ascii: ",") else {
        throw fault(.unexpected(byte, expected: isObject ? "',' or '}'" : "',' or ']'"))
      }
      offset += 1
      skipSpace()
    }
    if isObject { try key() }
    try value()
  }

  private mutating func key() throws(Fault) {
    let byte = try peek()
    guard byte == UInt8(ascii: "\"") else { throw fault(.unexpected(byte, expected: "a key in quotes")) }
    try string()
    skipSpace()
    let colon = try peek()
    guard colon == UInt8(ascii: ":") else { throw fault(.unexpected(colon, expected: "':'")) }
    offset += 1
    skipSpace()
  }

  private mutating func value() throws(Fault) {
    let byte = try peek()
    switch byte {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "{"): try begin(.object)
    case UInt8(ascii: "["): try begin(.array)
    case UInt8(ascii: "t"): try literal("true", .trueLiteral)
    case UInt8(ascii: "f"): try literal("false", .falseLiteral)
    case UInt8(ascii: "n"): try literal("null", .null)
    case UInt8(ascii: "-"), 0x30...0x39: try number()
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): throw fault(.badLiteral)
    default: throw fault(.unexpected(byte, expected: "a value"))
    }
  }

  private mutating func begin(_ kind: JSONNode.Kind) throws(Fault) {
    guard open.count < limits.depthMax else { throw fault(.overLimit("nested values", max: limits.depthMax)) }
    open.append(tape.count)
    try put(kind, from: offset, to: offset)
    offset += 1
  }

  private mutating func close(_ parent: Int) throws(Fault) {
    tape[parent].end = UInt32(offset)
    tape[parent].next = UInt32(tape.count)
    open.removeLast()
    if tape[parent].kind == .object { try refuseEqualKeys(of: parent) }
  }

  private mutating func literal(_ word: StaticString, _ kind: JSONNode.Kind) throws(Fault) {
    let start = offset
    for index in 0..<word.utf8CodeUnitCount {
      guard offset < text.count else { throw fault(.unexpectedEnd) }
      guard text[offset] == word.utf8Start[index] else { throw fault(.badLiteral, at: start) }
      offset += 1
    }
    try put(kind, from: start, to: offset)
  }

  /// RFC 8259 §6: -? (0 | 1-9 digits) (. digits)? (e sign? digits)?
  private mutating func number() throws(Fault) {
    let start = offset
    if text[offset] == UInt8(ascii: "-") { offset += 1 }
    let first = offset
    try digits(from: start)
    if text[first] == UInt8(ascii: "0"), offset - first > 1 { throw fault(.badNumber, at: start) }
    if offset < text.count, text[offset] == UInt8(ascii: ".") {
      offset += 1
      try digits(from: start)
    }
    if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if offset < text.count, text[offset] == UInt8(ascii: "+") || text[offset] == UInt8(ascii: "-") { offset += 1 }
      try digits(from: start)
    }
    try put(.number, from: start, to: offset)
  }

  private mutating func digits(from start: Int) throws(Fault) {
    let first = offset
    while offset < text.count, text[offset] >= 0x30, text[offset] <= 0x39 { offset += 1 }
    if offset == first { throw fault(offset < text.count ? .badNumber : .unexpectedEnd, at: start) }
  }

  private mutating func string() throws(Fault) {
    var scanner = JSONStringScanner(text: text, offset: offset + 1)
    let escaped = try scanner.scan()
    try put(.string, from: offset, to: scanner.offset, escaped: escaped)
    offset = scanner.offset
  }

  // MARK: Parts

  private mutating func put(_ kind: JSONNode.Kind, from start: Int, to end: Int, escaped: Bool = false) throws(Fault) {
    guard tape.count < limits.nodesMax else { throw fault(.overLimit("values", max: limits.nodesMax)) }
    tape.append(
      JSONNode(
        kind: kind, escaped: escaped, start: UInt32(start), end: UInt32(end), next: UInt32(tape.count + 1)))
  }

  private mutating func skipSpace() {
    while offset < text.count {
      switch text[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return
      }
    }
  }

  private func peek() throws(Fault) -> UInt8 {
    guard offset < text.count else { throw fault(.unexpectedEnd) }
    return text[offset]
  }

  private func fault(_ reason: Reason, at offset: Int? = nil) -> Fault {
    Fault(reason: reason, offset: offset ?? self.offset)
  }

  /// Keys are compared by a mark of eight bytes first, in room that is used again for each object. Few are compared with
  /// each other, many through a set, so that a hostile object costs no square.
  private mutating func refuseEqualKeys(of object: Int) throws(Fault) {
    keys.removeAll(keepingCapacity: true)
    var child = object + 1
    let end = Int(tape[object].next)
    while child < end {
      keys.append((child, mark(of: child)))
      child = Int(tape[child + 1].next)
    }
    if keys.count > 64 {
      var seen = Set<[UInt8]>(minimumCapacity: keys.count)
      for (key, _) in keys where !seen.insert(content(of: key)).inserted { throw equal(key) }
      return
    }
    // One bit for each mark: most keys are the first with theirs, and are compared with none.
    var seen: UInt64 = 0
    for index in keys.indices {
      let (key, mark) = keys[index]
      let bit = UInt64(1) << (mark >> 58)
      if seen & bit == 0 {
        seen |= bit
        continue
      }
      for earlier in 0..<index where keys[earlier].mark == mark && areEqual(key, keys[earlier].node) {
        throw equal(key)
      }
    }
  }

  /// The same for equal keys, and seldom for others.
  private func mark(of key: Int) -> UInt64 {
    let node = tape[key]
    let content = node.escaped ? self.content(of: key) : []
    if node.escaped { return content.withUnsafeBytes { Self.mark(of: $0) } }
    return Self.mark(
      of: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[Int(node.start) + 1..<Int(node.end) - 1]))
  }

  /// Length, first and last eight bytes; of a shorter key all of them.
  private static func mark(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    var first: UInt64 = 0
    var last: UInt64 = 0
    if count >= 8 {
      first = bytes.loadUnaligned(as: UInt64.self)
      last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else {
      for byte in bytes { first = first << 8 | UInt64(byte) }
    }
    return (first &* 0x9E37_79B9_7F4A_7C15) ^ (last &* 0xC2B2_AE3D_27D4_EB4F) ^ UInt64(truncatingIfNeeded: count)
  }

  private func areEqual(_ left: Int, _ right: Int) -> Bool {
    let (a, b) = (tape[left], tape[right])
    if a.escaped || b.escaped { return content(of: left) == content(of: right) }
    guard a.end - a.start == b.end - b.start else { return false }
    let base = UnsafeRawPointer(text.baseAddress!)
    return memcmp(base + Int(a.start), base + Int(b.start), Int(a.end - a.start)) == 0
  }

  private func content(of key: Int) -> [UInt8] {
    let inner = Array(text[Int(tape[key].start) + 1..<Int(tape[key].end) - 1])
    return tape[key].escaped ? Self.unescape(inner[...]) : inner
  }

  private func equal(_ key: Int) -> Fault {
    fault(.duplicateKey(String(decoding: content(of: key), as: UTF8.self)), at: Int(tape[key].start))
  }
}

/// Reads a text once, from front to back, onto a tape. No recursion: depth costs a stack entry, not a frame.
struct JSONReader {
  typealias Reason = JSONError.Reason

  private let text: UnsafeBufferPointer<UInt8>
  private let limits: JSONLimits
  private var offset = 0
  private var tape: [JSONNode] = []
  /// Nodes of the arrays and objects that are open, innermost last.
  private var open: [Int] = []

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
    tape.reserveCapacity(min(64, text.count / 8 + 1))
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

  /// Few keys are compared with each other, many through a set, so that a hostile object costs no square.
  private func refuseEqualKeys(of object: Int) throws(Fault) {
    var keys: [Int] = []
    var child = object + 1
    while child < tape[object].next {
      keys.append(child)
      child = Int(tape[child + 1].next)
    }
    if keys.count > 16 {
      var seen = Set<[UInt8]>(minimumCapacity: keys.count)
      for key in keys where !seen.insert(content(of: key)).inserted { throw equal(key) }
      return
    }
    for (index, key) in keys.enumerated() {
      for earlier in keys[..<index] where areEqual(key, earlier) { throw equal(key) }
    }
  }

  private func areEqual(_ left: Int, _ right: Int) -> Bool {
    let (a, b) = (tape[left], tape[right])
    if a.escaped || b.escaped { return content(of: left) == content(of: right) }
    guard a.end - a.start == b.end - b.start else { return false }
    return text[Int(a.start)..<Int(a.end)].elementsEqual(text[Int(b.start)..<Int(b.end)])
  }

  private func content(of key: Int) -> [UInt8] {
    let inner = Array(text[Int(tape[key].start) + 1..<Int(tape[key].end) - 1])
    return tape[key].escaped ? Self.unescape(inner[...]) : inner
  }

  private func equal(_ key: Int) -> Fault {
    fault(.duplicateKey(String(decoding: content(of: key), as: UTF8.self)), at: Int(tape[key].start))
  }
}

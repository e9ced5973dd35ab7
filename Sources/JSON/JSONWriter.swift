/// Writes JSON: no white space, only what must be escaped is, slashes are not.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8] = []
  private let sortedKeys: Bool

  /// - Parameter sortedKeys: members in order of their keys' UTF-8 bytes, at every depth.
  public init(sortedKeys: Bool = false) { self.sortedKeys = sortedKeys }

  public mutating func write(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .number(let number): raw(number.text)
    case .string(let text): string(text)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in order(object.members).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        string(member.key)
        bytes.append(UInt8(ascii: ":"))
        write(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Text as it is: punctuation, or a value that is JSON already.
  public mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Text as it is, known when this is compiled.
  public mutating func raw(literal text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Bytes as they are: a value that is JSON already.
  public mutating func raw(_ json: some Sequence<UInt8>) { bytes.append(contentsOf: json) }

  /// A string with its quotes.
  public mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    // Hardly any text has something to escape.
    var text = text
    let isPlain = text.withUTF8 { utf8 in
      let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      if isPlain { bytes.append(contentsOf: utf8) }
      return isPlain
    }
    if isPlain {
      bytes.append(UInt8(ascii: "\""))
      return
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): raw("\\\"")
      case UInt8(ascii: "\\"): raw("\\\\")
      case 0x08: raw("\\b")
      case 0x09: raw("\\t")
      case 0x0A: raw("\\n")
      case 0x0C: raw("\\f")
      case 0x0D: raw("\\r")
      case 0..<0x20:
        raw("\\u00")
        for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private func order(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
    sortedKeys ? members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : members
  }
}

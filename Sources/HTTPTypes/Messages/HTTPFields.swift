/// Field lines of a message in the order they came; names are looked up without regard to case.
///
/// Bounded by whoever fills it: a parser takes at most `HTTPLimits.fieldsMax` lines.
public struct HTTPFields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// One field line. The name keeps the case it came in.
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  private var fields: [Field] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// Value of the first line with this name. Setting replaces every line of the name, nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.same($0.name, name) }?.value }
    set {
      let place = fields.firstIndex { Self.same($0.name, name) }
      fields.removeAll { Self.same($0.name, name) }
      if let newValue {
        fields.insert(Field(name: name, value: newValue), at: place ?? fields.count)
      }
    }
  }

  /// Values of every line with this name, in order.
  public func values(of name: String) -> [String] {
    fields.compactMap { Self.same($0.name, name) ? $0.value : nil }
  }

  /// Adds a line after the others, beside those that bear the same name.
  public mutating func append(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// True when a comma-separated list in the field holds the token, without regard to case (RFC 9110 §5.6.1).
  public func hasToken(_ token: String, in name: String) -> Bool {
    fields.contains { field in
      Self.same(field.name, name)
        && field.value.utf8.split(separator: UInt8(ascii: ",")).contains { part in
          Self.same(part.trimmingBlanks(), token.utf8)
        }
    }
  }

  /// True when the name is a token (RFC 9110 §5.1), so that it can be written.
  public static func isValidName(_ name: String) -> Bool {
    !name.isEmpty && ByteSet.token.holdsAll(name.utf8)
  }

  /// True when the value has no control characters but tabs (RFC 9110 §5.5), so that it cannot end its line.
  public static func isValidValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }

  /// Equality of two ASCII names without regard to case.
  static func same(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && same(left.utf8, right.utf8)
  }

  private static func same<Left: Sequence, Right: Sequence>(_ left: Left, _ right: Right) -> Bool
  where Left.Element == UInt8, Right.Element == UInt8 {
    left.elementsEqual(right) { $0 == $1 || (lowered($0) == lowered($1)) }
  }

  @inline(__always)
  private static func lowered(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}

extension HTTPFields: RandomAccessCollection {
  public var startIndex: Int { fields.startIndex }
  public var endIndex: Int { fields.endIndex }
  public subscript(position: Int) -> Field { fields[position] }
}

extension Substring.UTF8View {
  fileprivate func trimmingBlanks() -> Substring.UTF8View {
    var result = self
    while let first = result.first, first == 0x20 || first == 0x09 { result.removeFirst() }
    while let last = result.last, last == 0x20 || last == 0x09 { result.removeLast() }
    return result
  }
}

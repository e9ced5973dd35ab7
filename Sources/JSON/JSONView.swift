import Glibc

/// A value inside a `JSONDocument`: what it is, where it stands, what it says. Cheap to copy.
public struct JSONView: Sendable {
  public enum Kind: Sendable { case null, bool, number, string, array, object }

  let document: JSONDocument
  let index: Int

  private var node: JSONNode { document.tape[index] }

  public var kind: Kind {
    switch node.kind {
    case .null: .null
    case .trueLiteral, .falseLiteral: .bool
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Where the value stands in the document's bytes, quotes and brackets included.
  public var range: Range<Int> { Int(node.start)..<Int(node.end) }

  /// The value's own bytes.
  public var bytes: ArraySlice<UInt8> { document.bytes[range] }

  /// Line and column, from 1, of the value's first byte.
  public var position: (line: Int, column: Int) { document.position(of: range.lowerBound) }

  public var isNull: Bool { node.kind == .null }

  /// nil where the value is no boolean.
  public var bool: Bool? {
    switch node.kind {
    case .trueLiteral: true
    case .falseLiteral: false
    default: nil
    }
  }

  /// A string's text with its escapes resolved; nil where the value is no string.
  public var string: String? {
    guard node.kind == .string else { return nil }
    return String(decoding: stringBytes!, as: UTF8.self)
  }

  /// A string's bytes with its escapes resolved; nil where the value is no string.
  public var stringBytes: ArraySlice<UInt8>? {
    guard node.kind == .string else { return nil }
    let content = document.bytes[Int(node.start) + 1..<Int(node.end) - 1]
    return node.escaped ? JSONReader.unescape(content)[...] : content
  }

  /// Whether a string was written with a backslash in it.
  public var isEscaped: Bool { node.escaped }

  /// The number as it was written; nil where the value is no number.
  public var number: JSONNumber? {
    guard node.kind == .number else { return nil }
    return JSONNumber(verified: String(decoding: bytes, as: UTF8.self))
  }

  /// The digits as they were written; nil where the value is no number.
  public var numberText: String? { number?.text }

  /// The integer, exactly; nil where the value is no number, was written with a point or an exponent, or does
  /// not fit 64 bits.
  public var int64: Int64? {
    guard node.kind == .number else { return nil }
    return JSONNumber.int64(bytes)
  }

  /// An array's values in order; nil where the value is no array.
  public var elements: [JSONView]? {
    guard node.kind == .array else { return nil }
    var result: [JSONView] = []
    var child = index + 1
    while child < node.next {
      result.append(JSONView(document: document, index: child))
      child = Int(document.tape[child].next)
    }
    return result
  }

  /// An object's members in order of appearance; nil where the value is no object.
  public var members: [(key: String, value: JSONView)]? {
    guard node.kind == .object else { return nil }
    var result: [(key: String, value: JSONView)] = []
    var child = index + 1
    while child < node.next {
      let key = JSONView(document: document, index: child)
      result.append((key.string!, JSONView(document: document, index: child + 1)))
      child = Int(document.tape[child + 1].next)
    }
    return result
  }

  /// An object's members that have none of the names, in order of appearance; nil where the value is no object.
  public func members(otherThan names: [StaticString]) -> [(key: String, value: JSONView)]? {
    guard node.kind == .object else { return nil }
    var result: [(key: String, value: JSONView)] = []
    var child = index + 1
    while child < node.next {
      let key = JSONView(document: document, index: child)
      if !key.isOne(of: names) { result.append((key.string!, JSONView(document: document, index: child + 1))) }
      child = Int(document.tape[child + 1].next)
    }
    return result
  }

  private func isOne(of names: [StaticString]) -> Bool {
    let node = node
    guard !node.escaped else { return names.contains { stringBytes!.elementsEqual($0.bytes) } }
    let count = Int(node.end - node.start) - 2
    return document.bytes.withUnsafeBufferPointer { text in
      names.contains {
        $0.utf8CodeUnitCount == count && memcmp(text.baseAddress! + Int(node.start) + 1, $0.utf8Start, count) == 0
      }
    }
  }

  /// The member of that name; nil where it is absent or the value is no object. Names are compared by their
  /// bytes, never by what looks alike.
  public subscript(key: String) -> JSONView? {
    let tape = document.tape
    let end = tape[index].next
    guard tape[index].kind == .object else { return nil }
    var key = key
    return key.withUTF8 { wanted in
      document.bytes.withUnsafeBufferPointer { text in
        var child = index + 1
        while child < end {
          let name = tape[child]
          if name.escaped {
            if JSONReader.unescape(document.bytes[Int(name.start) + 1..<Int(name.end) - 1]).elementsEqual(wanted) {
              return JSONView(document: document, index: child + 1)
            }
          } else if Int(name.end) - Int(name.start) - 2 == wanted.count,
            wanted.isEmpty || memcmp(text.baseAddress! + Int(name.start) + 1, wanted.baseAddress!, wanted.count) == 0
          {
            return JSONView(document: document, index: child + 1)
          }
          child = Int(tape[child + 1].next)
        }
        return nil
      }
    }
  }
}

extension StaticString {
  fileprivate var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}

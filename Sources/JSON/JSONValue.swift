/// A JSON value of its own, to be built, changed and written.
public enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Copies a value out of a document, numbers digit for digit.
  public init(_ view: JSONView) {
    switch view.kind {
    case .null: self = .null
    case .bool: self = .bool(view.bool!)
    case .number: self = .number(view.number!)
    case .string: self = .string(view.string!)
    case .array: self = .array(view.elements!.map(JSONValue.init))
    case .object:
      self = .object(JSONObject(distinct: view.members!.map { .init(key: $0.key, value: JSONValue($0.value)) }))
    }
  }

  /// Reads a whole text; strict as `JSONDocument`.
  public init(bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    self.init(try JSONDocument(bytes: bytes, limits: limits).root)
  }

  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }
  public var int64: Int64? { number?.int64 }
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  public var isNull: Bool { self == .null }

  /// The member of that name; nil where it is absent or this is no object.
  public subscript(key: String) -> JSONValue? { object?[key] }

  /// The text: UTF-8, no white space, slashes not escaped.
  /// - Parameter sortedKeys: members in order of their keys' bytes, at every depth; else as they stand.
  public func bytes(sortedKeys: Bool = false) -> [UInt8] {
    var writer = JSONWriter(sortedKeys: sortedKeys)
    writer.write(self)
    return writer.bytes
  }

  /// The same text as a `String`.
  public func text(sortedKeys: Bool = false) -> String {
    String(decoding: bytes(sortedKeys: sortedKeys), as: UTF8.self)
  }
}

// Not by nil: setting a member to nil takes it away, and must never write null instead.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// - Precondition: no key stands twice.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (key, value) in elements {
      precondition(object[key] == nil, "the key \(key) stands twice in a literal")
      object[key] = value
    }
    self = .object(object)
  }
}

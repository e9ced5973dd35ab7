import JSON

/// What one member may be: how it is read, and the words for it. Every member of every event and request is read
/// through one of these, so a rule about a kind of value stands in one place.
struct Shape<Value: Sendable>: Sendable {
  /// Completes the sentence «allowed is …».
  var allowed: String { words() }
  private let words: @Sendable () -> String
  /// nil where the value does not have this shape.
  let read: @Sendable (JSONValue) -> Value?

  /// - Parameter allowed: put together only where something is not allowed.
  init(_ allowed: @autoclosure @escaping @Sendable () -> String, read: @escaping @Sendable (JSONValue) -> Value?) {
    words = allowed
    self.read = read
  }
}

extension Shape where Value == String {
  /// Any text, also an empty one.
  static var text: Self { Self("a text") { $0.string } }

  /// 1 to 255 bytes: what something or someone is called.
  static var name: Self { OfEachNotification.name }

  /// 1 to 512 bytes: the id of an event.
  static var eventID: Self { sized("the id of an event, 1 to 512 bytes", 1...512) }

  /// SHA-256 as 64 lower-case hex digits.
  static var digest: Self {
    Self("64 lower-case hex digits") { json in json.string.flatMap { HexDigits.areDigest($0) ? $0 : nil } }
  }

  fileprivate static func sized(_ allowed: String, _ bytes: ClosedRange<Int>) -> Self {
    Self(allowed) { json in json.string.flatMap { bytes.contains($0.utf8.count) ? $0 : nil } }
  }
}

extension Shape where Value == Bool {
  static var flag: Self { Self("true or false") { $0.bool } }
}

extension Shape where Value == Int64 {
  /// Milliseconds since 1970, UTC.
  static var instant: Self { OfEachNotification.instant }

  /// A 64-bit integer, every digit kept.
  static var integer: Self { Self("an integer of 64 bits") { $0.int64 } }

  static func integer(in range: ClosedRange<Int64>) -> Self {
    let words = range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
    return Self("an integer, \(words)") { json in json.int64.flatMap { range.contains($0) ? $0 : nil } }
  }
}

extension Shape where Value == [UInt8] {
  /// The start of a reply: at most 2,048 bytes, in the text as base64 with padding.
  static var reply: Self {
    Self("base64 with padding of at most 2048 bytes") { json in
      guard let text = json.string, text.utf8.count <= 2732, let bytes = Base64.decode(text) else { return nil }
      return bytes.count <= 2048 ? bytes : nil
    }
  }
}

extension Shape where Value == JSONObject {
  /// Any object, kept as it is.
  static var object: Self { Self("an object") { $0.object } }
}

extension Shape where Value == [String: String] {
  /// An object of texts.
  static var textsByName: Self {
    Self("an object of texts") { json in
      guard let members = json.object?.members else { return nil }
      var result: [String: String] = [:]
      for member in members {
        guard let text = member.value.string else { return nil }
        result[member.key] = text
      }
      return result
    }
  }
}

extension Shape {
  /// A list of values that all have one shape.
  static func list<Element>(of shape: Shape<Element>) -> Self where Value == [Element] {
    Self("a list, each \(shape.allowed)") { json in
      guard let elements = json.array else { return nil }
      var result: [Element] = []
      for element in elements {
        guard let value = shape.read(element) else { return nil }
        result.append(value)
      }
      return result
    }
  }
}

extension Shape where Value: ClosedWord {
  /// One of a set that is ours and closed.
  static var oneOf: Self {
    Self("one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")) { json in
      json.string.flatMap(Value.init(rawValue:))
    }
  }
}

extension Shape {
  /// A word of a set that others extend: 1 to 255 bytes, kept as it came.
  static func word<Vocabulary>() -> Self where Value == Word<Vocabulary> {
    Self("a word of 1 to 255 bytes") { json in
      json.string.flatMap { (1...255).contains($0.utf8.count) ? Word($0) : nil }
    }
  }
}

/// Made once: each notification is read through these, and a rebuild reads very many.
private enum OfEachNotification {
  static let name = Shape<String>.sized("a text of 1 to 255 bytes", 1...255)
  static let instant = Shape<Int64>("an integer, milliseconds since 1970 UTC") { $0.int64 }
}

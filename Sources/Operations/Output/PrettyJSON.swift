import JSON

/// JSON with line breaks and two spaces for each level, for files that people edit.
enum PrettyJSON {
  /// What fits beside its key stays in one line.
  private static let lineMax = 90

  /// - Parameter indent: spaces before the line in which the value begins.
  static func text(_ value: JSONValue, indent: Int = 0) -> String {
    let inline = inline(value)
    switch value {
    case .object(let object)
    where !object.isEmpty && (indent == 0 || inline.utf8.count + indent > lineMax || isDeep(value)):
      let members = object.members.map {
        pad(indent + 2) + JSONValue.string($0.key).text() + ": " + text($0.value, indent: indent + 2)
      }
      return "{\n\(members.joined(separator: ",\n"))\n\(pad(indent))}"
    case .array(let elements) where !elements.isEmpty && (inline.utf8.count + indent > lineMax || isDeep(value)):
      return
        "[\n\(elements.map { pad(indent + 2) + text($0, indent: indent + 2) }.joined(separator: ",\n"))\n\(pad(indent))]"
    default: return inline
    }
  }

  /// Whether objects stand inside.
  private static func isDeep(_ value: JSONValue) -> Bool {
    let inner = value.array ?? value.object?.members.map(\.value) ?? []
    return inner.contains { $0.object != nil || $0.array?.contains { $0.object != nil } ?? false }
  }

  private static func inline(_ value: JSONValue) -> String {
    switch value {
    case .object(let object) where !object.isEmpty:
      "{ " + object.members.map { JSONValue.string($0.key).text() + ": " + inline($0.value) }.joined(separator: ", ")
        + " }"
    case .array(let elements): "[" + elements.map(inline).joined(separator: ", ") + "]"
    default: value.text()
    }
  }

  private static func pad(_ count: Int) -> String { String(repeating: " ", count: count) }
}

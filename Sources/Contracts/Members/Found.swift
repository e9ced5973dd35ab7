import JSON

/// Words for what stood somewhere, without saying it: a text may be a customer's token.
enum Found {
  static func words(for json: JSONValue) -> String {
    switch json {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let number): number.text.utf8.count <= 40 ? "the number \(number.text)" : "a very long number"
    case .string(let text): text.isEmpty ? "an empty text" : "a text of \(text.utf8.count) bytes"
    case .array(let elements): "a list of \(elements.count)"
    case .object(let object): "an object of \(object.count) members"
    }
  }
}

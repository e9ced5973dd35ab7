import JSON

/// Writes the members of one object in the order in which they are put.
struct AttributeWriter {
  private var writer = JSONWriter()

  mutating func put(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    writer.string(text)
  }

  /// - Parameter json: a value that is JSON already; copied as it is.
  mutating func put(_ name: String, json: [UInt8]) {
    key(name)
    writer.raw(json)
  }

  func finished() -> [UInt8] { writer.bytes + (writer.bytes.isEmpty ? Array("{}".utf8) : [UInt8(ascii: "}")]) }

  private mutating func key(_ name: String) {
    writer.raw(writer.bytes.isEmpty ? "{" : ",")
    writer.string(name)
    writer.raw(":")
  }
}

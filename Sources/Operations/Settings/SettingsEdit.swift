import JSON

/// Changes the list `apps` in the text of a settings file and leaves every other byte as it was.
struct SettingsEdit {
  private let bytes: [UInt8]
  private let root: JSONView

  init(_ file: SettingsFile) {
    bytes = file.bytes
    root = file.root
  }

  /// - Precondition: where `apps` is there, it is a list.
  func adding(_ app: JSONValue) -> [UInt8] {
    guard let list = root["apps"] else { return addingList(app) }
    guard let last = list.elements?.last else {
      let indent = indent(at: list.range.lowerBound)
      let text = "[\n\(pad(indent + 2))\(PrettyJSON.text(app, indent: indent + 2))\n\(pad(indent))]"
      return replacing(list.range, with: text)
    }
    let start = last.range.lowerBound
    let text =
      startsLine(start)
      ? ",\n\(pad(indent(at: start)))\(PrettyJSON.text(app, indent: indent(at: start)))"
      : ", \(app.text())"
    return replacing(last.range.upperBound..<last.range.upperBound, with: text)
  }

  /// - Precondition: `apps` is a list that has an element there.
  func replacing(app index: Int, with app: JSONValue) -> [UInt8] {
    let element = root["apps"]!.elements![index]
    let start = element.range.lowerBound
    return replacing(
      element.range, with: startsLine(start) ? PrettyJSON.text(app, indent: indent(at: start)) : app.text())
  }

  /// - Precondition: as above.
  func removing(app index: Int) -> [UInt8] {
    let elements = root["apps"]!.elements!
    let list = root["apps"]!.range
    if elements.count == 1 { return replacing(list, with: "[]") }
    // With the comma that parts it from its neighbour.
    let range =
      index == 0
      ? elements[0].range.lowerBound..<elements[1].range.lowerBound
      : elements[index - 1].range.upperBound..<elements[index].range.upperBound
    return replacing(range, with: "")
  }

  private func addingList(_ app: JSONValue) -> [UInt8] {
    let indent = 2
    let isEmpty = root.members?.isEmpty ?? true
    let text =
      "\n\(pad(indent))\"apps\": [\n\(pad(indent + 2))\(PrettyJSON.text(app, indent: indent + 2))\n\(pad(indent))]"
      + (isEmpty ? "\n" : ",")
    let place = root.range.lowerBound + 1
    return replacing(place..<place, with: text)
  }

  private func replacing(_ range: Range<Int>, with text: String) -> [UInt8] {
    Array(bytes[..<range.lowerBound]) + Array(text.utf8) + Array(bytes[range.upperBound...])
  }

  /// Whether nothing but spaces stands before it in its line.
  private func startsLine(_ offset: Int) -> Bool {
    let before = bytes[..<offset].reversed().prefix { $0 != 0x0A }
    return before.count < offset && before.allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }

  /// Spaces at the beginning of its line.
  private func indent(at offset: Int) -> Int {
    let line = (bytes[..<offset].lastIndex(of: 0x0A) ?? -1) + 1
    return bytes[line...].prefix { $0 == 0x20 }.count
  }

  private func pad(_ count: Int) -> String { String(repeating: " ", count: count) }
}

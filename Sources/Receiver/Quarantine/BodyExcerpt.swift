/// The beginning of a body, for people who look into what was refused.
enum BodyExcerpt {
  static let bytesMax = 4_096

  private static let names = ["password", "secret"].map { Array($0.utf8) }
  private static let blank = Array("…".utf8)

  /// At most `bytesMax` bytes, in which the values of members named like a password are blanked.
  /// Works on the bytes, as what was refused need not be JSON: a version 1 notification carries the
  /// app's shared secret as `password`.
  static func make(_ body: [UInt8]) -> [UInt8] {
    var search = ValueSearch(body.prefix(bytesMax))
    let text = search.text
    var result: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      guard names.contains(where: { isName($0, at: index, in: text) }), let value = search.value(after: index) else {
        result.append(text[index])
        index += 1
        continue
      }
      result += text[index..<value.lowerBound] + blank
      index = value.upperBound
    }
    return result
  }

  private static func isName(_ name: [UInt8], at start: Int, in text: ArraySlice<UInt8>) -> Bool {
    guard start + name.count <= text.endIndex else { return false }
    // Letters alone: setting the bit makes them small.
    return name.indices.allSatisfy { text[start + $0] | 0x20 == name[$0] }
  }
}

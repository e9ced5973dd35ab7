/// The beginning of a body, for people who look into what was refused.
enum BodyExcerpt {
  static let bytesMax = 4_096

  private static let names = ["password", "secret"].map { Array($0.utf8) }
  private static let blank = Array("…".utf8)

  /// At most `bytesMax` bytes, in which the values of members named like a password are blanked. Works on the bytes, as
  /// what was refused need not be JSON: a version 1 notification carries the app's shared secret as `password`.
  static func make(_ body: [UInt8]) -> [UInt8] {
    let whole = body.prefix(bytesMax)
    var result: [UInt8] = []
    var index = whole.startIndex
    while index < whole.endIndex {
      guard names.contains(where: { isName($0, at: index, in: whole) }), let value = value(after: index, in: whole)
      else {
        result.append(whole[index])
        index += 1
        continue
      }
      result += whole[index..<value.lowerBound] + blank
      index = value.upperBound
    }
    return result
  }

  private static func isName(_ name: [UInt8], at start: Int, in text: ArraySlice<UInt8>) -> Bool {
    guard start + name.count <= text.endIndex else { return false }
    // Letters alone: setting the bit makes them small.
    return name.indices.allSatisfy { text[start + $0] | 0x20 == name[$0] }
  }

  /// The value that belongs to a name: behind the next colon or equals sign, up to the end of a string or of a word.
  private static func value(after name: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
    guard
      let sign = text[name...].firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }),
      // What ends a word or a value between name and sign makes it no name.
      !text[name..<sign].contains(where: { ",&{}[]".utf8.contains($0) })
    else { return nil }
    let begin = text[(sign + 1)...].firstIndex { $0 > 0x20 } ?? text.endIndex
    guard begin < text.endIndex else { return nil }
    guard text[begin] == UInt8(ascii: "\"") else {
      return begin..<(text[begin...].firstIndex { ",&}] \r\n".utf8.contains($0) } ?? text.endIndex)
    }
    var end = begin + 1
    while end < text.endIndex, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return begin + 1..<max(begin + 1, min(end, text.endIndex))
  }
}

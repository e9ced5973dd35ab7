/// Finds the values that belong to names, which are asked for from the beginning of a text to its
/// end. Each place only moves on: a stranger's text that is full of names costs no more than
/// another one.
struct ValueSearch {
  private static let signs = Array(":=".utf8)
  /// What ends a word or a value between name and sign makes it no name.
  private static let stops = Array(",&{}[]".utf8)
  private static let wordEnds = Array(",&}] \r\n".utf8)

  let text: ArraySlice<UInt8>
  /// The first sign, and the first stop, that is not before the name asked for last.
  private var sign: Int
  private var stop: Int
  /// The first byte behind the sign that is not blank.
  private var begin: Int

  init(_ text: ArraySlice<UInt8>) {
    self.text = text
    sign = text.startIndex
    stop = text.startIndex
    begin = text.startIndex
  }

  /// The value that belongs to a name: behind the next colon or equals sign, up to the end of a
  /// string or of a word; nil where none does.
  /// - Parameter name: no smaller than the one before.
  mutating func value(after name: Int) -> Range<Int>? {
    sign = max(sign, name)
    while sign < text.endIndex, !Self.signs.contains(text[sign]) { sign += 1 }
    stop = max(stop, name)
    while stop < text.endIndex, !Self.stops.contains(text[stop]) { stop += 1 }
    guard sign < text.endIndex, stop > sign else { return nil }
    begin = max(begin, sign + 1)
    while begin < text.endIndex, text[begin] <= 0x20 { begin += 1 }
    guard begin < text.endIndex else { return nil }
    guard text[begin] == UInt8(ascii: "\"") else {
      return begin..<(text[begin...].firstIndex { Self.wordEnds.contains($0) } ?? text.endIndex)
    }
    var end = begin + 1
    while end < text.endIndex, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return begin + 1..<max(begin + 1, min(end, text.endIndex))
  }
}

/// Puts what happens into lines of at most 100 columns.
struct Narrator {
  static let columns = 100
  /// Of what happens, behind the clock.
  static let indent = 9

  let print: (String) -> Void

  /// A paragraph.
  func say(_ text: String, indent: Int = 0) { put(text, first: spaces(indent), indent: indent) }

  /// Something that happened, with the time that the play's clock shows.
  func tell(_ text: String, at instant: Int64) {
    put(text, first: "  \(DemoClock.text(instant))  ", indent: Self.indent)
  }

  /// What was said to Apple, to the letter; where a line ends, nothing was left out.
  func quote(_ body: String) {
    put(body, first: spaces(Self.indent + 2), indent: Self.indent + 2, mark: ",")
  }

  /// - Parameter mark: what a line may end with besides.
  private func put(_ text: String, first: String, indent: Int, mark: Character? = nil) {
    var line = first
    var isEmpty = true
    for piece in Self.pieces(text, mark) {
      if !isEmpty, line.count + piece.trimmedEnd.count > Self.columns {
        print(String(line.trimmedEnd) + "\n")
        line = spaces(indent)
      }
      line += piece
      isEmpty = false
    }
    print(String(line.trimmedEnd) + "\n")
  }

  /// The text cut after each space, or after each mark.
  private static func pieces(_ text: String, _ mark: Character?) -> [Substring] {
    var pieces: [Substring] = []
    var start = text.startIndex
    for index in text.indices where text[index] == mark ?? " " {
      pieces.append(text[start...index])
      start = text.index(after: index)
    }
    pieces.append(text[start...])
    return pieces
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}

extension StringProtocol {
  /// Without the spaces at its end.
  fileprivate var trimmedEnd: SubSequence {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
    return self[..<end]
  }
}

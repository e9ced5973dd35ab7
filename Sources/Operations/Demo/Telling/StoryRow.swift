/// One line of the table at the end.
struct StoryRow: Equatable {
  var title: String
  /// What Apple was told: delivery, and the share used where it was stated.
  var told: String
  var ended: String

  private static let heading = StoryRow(title: "story", told: "what Apple was told", ended: "how it ended")

  /// Rows as lines of at most `Narrator.columns`; a cell that is too long is cut.
  static func lines(_ rows: [StoryRow]) -> [String] {
    let all = [heading] + rows
    let first = min(all.map(\.title.count).max() ?? 0, 30)
    let second = min(all.map(\.told.count).max() ?? 0, 30)
    let third = Narrator.columns - first - second - 8
    return all.indices.map { index in
      let row = all[index]
      let number = index == 0 ? "" : String(index)
      let cells = [
        String(repeating: " ", count: max(0, 2 - number.count)) + number, cell(row.title, first),
        cell(row.told, second),
        cell(row.ended, third),
      ]
      return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
  }

  private static func cell(_ text: String, _ width: Int) -> String {
    if text.count > width { return text.prefix(width - 1) + "…" }
    return text + String(repeating: " ", count: width - text.count)
  }
}

/// The rows for people.
enum BenchTable {
  static func text(_ rows: [BenchRow]) -> String {
    let cells = rows.map { row in
      [
        row.name, "\(BenchRow.text(row.value)) \(row.unit)",
        row.ratio.map { "\(BenchRow.text($0.value)) × \($0.to), \(BenchRow.text($0.of))" } ?? "",
        [row.asked, row.isMet.map { $0 ? "met" : "NOT MET" }].compactMap { $0 }.joined(separator: ": "),
      ]
    }
    let widths = (0..<4).map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }.joined(separator: "\n") + "\n"
  }
}

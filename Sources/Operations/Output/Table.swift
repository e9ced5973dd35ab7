/// Rows with aligned columns, for people. What a cell holds of strangers is escaped.
struct Table: CustomStringConvertible {
  var header: [String] = []
  var rows: [[String]]

  /// Each row ends with a line feed; without rows there is nothing, not even the header.
  var description: String {
    if rows.isEmpty { return "" }
    let lines = ((header.isEmpty ? [] : [header]) + rows).map { $0.map(Shown.text) }
    let columns = lines.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return lines.map { cells in
      var line = ""
      for (column, cell) in cells.enumerated() {
        line += cell
        if column + 1 < cells.count { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}

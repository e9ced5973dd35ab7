/// Finds what somebody probably meant.
enum Nearest {
  /// The known word with the fewest changes; nil where more than a third of it would have to change.
  static func word(to text: String, among known: [String]) -> String? {
    let best = known.map { ($0, distance(Array(text.lowercased().utf8), Array($0.lowercased().utf8))) }
      .min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, best.0.utf8.count / 3) else { return nil }
    return best.0
  }

  /// Insertions, deletions and replacements between two short texts (Levenshtein).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    guard left.count <= 64, right.count <= 64 else { return .max }
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let next = min(diagonal + (a == b ? 0 : 1), row[j] + 1, row[j + 1] + 1)
        diagonal = row[j + 1]
        row[j + 1] = next
      }
    }
    return row[right.count]
  }
}

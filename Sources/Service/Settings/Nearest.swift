/// Finds what somebody probably meant.
public enum Nearest {
  /// The known word with the fewest changes; nil where more than a third of it would have to change.
  public static func word(to text: String, among known: [String]) -> String? {
    let best = known.map { ($0, distance(Array(text.lowercased().utf8), Array($0.lowercased().utf8))) }
      .min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, best.0.utf8.count / 3) else { return nil }
    return best.0
  }

  /// Insertions, deletions, replacements and swaps of neighbours between two short texts (optimal string alignment).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    guard left.count <= 64, right.count <= 64 else { return .max }
    var before: [Int] = []
    var row = Array(0...right.count)
    for i in left.indices {
      var next = [i + 1]
      for j in right.indices {
        var best = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, before[j - 1] + 1) }
        next.append(best)
      }
      before = row
      row = next
    }
    return row[right.count]
  }
}

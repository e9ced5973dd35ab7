/// A bar on a terminal that is drawn over itself.
enum ProgressBar {
  private static let width = 30

  /// What takes the bar away.
  static let end = "\r\u{1B}[K"

  /// - Parameter share: from 0 to 1.
  static func text(share: Double, _ words: String) -> String {
    let full = min(max(0, Int(share * Double(width))), width)
    return end + String(repeating: "█", count: full) + String(repeating: "░", count: width - full) + " " + words
  }
}

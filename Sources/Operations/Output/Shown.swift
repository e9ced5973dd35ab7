import Service

/// Text of others on its way to a terminal.
enum Shown {
  /// The text with everything escaped that steers a terminal or turns the direction of writing; a stranger could
  /// otherwise write over what stands beside it.
  static func text(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isSteering {
        shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        shown.append(scalar)
      }
    }
    return String(shown)
  }

  /// The same for text of several lines, each of which stays one.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.text(String($0)) }.joined(separator: "\n")
  }

  /// A span of time in its two largest units: `3 h 12 min`, `4 min 30 s`.
  /// - Parameter milliseconds: its length; a negative one is shown without its sign.
  static func span(_ milliseconds: Int64) -> String {
    let seconds = Int64(clamping: milliseconds.magnitude) / 1_000
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
    if days > 0 { return hours > 0 ? "\(days) d \(hours) h" : "\(days) d" }
    if hours > 0 { return minutes > 0 ? "\(hours) h \(minutes) min" : "\(hours) h" }
    if minutes > 0 { return seconds % 60 > 0 ? "\(minutes) min \(seconds % 60) s" : "\(minutes) min" }
    return "\(seconds) s"
  }
}

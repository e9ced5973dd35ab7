/// Pieces of the Prometheus text format 0.0.4.
/// Source: Prometheus, «Exposition formats», text-based format.
enum MetricText {
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    // Beyond 2^53 not every integer is a Double, so there is nothing to gain.
    if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
    return value.description
  }

  /// A label's value: backslash, quote and line feed are escaped.
  static func labelValue(_ text: String) -> String { escaped(text, quote: true) }

  /// A help text: backslash and line feed are escaped.
  static func help(_ text: String) -> String { escaped(text, quote: false) }

  static func isMetricName(_ name: String) -> Bool { isName(name, further: ":") }

  /// Names with two leading underscores are Prometheus' own, and `le` is the histogram's.
  static func isLabelName(_ name: String) -> Bool { isName(name, further: "") && !name.hasPrefix("__") && name != "le" }

  private static func isName(_ name: String, further: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == UInt8(ascii: "_") || further.utf8.contains(byte)
    }
  }

  private static func escaped(_ text: String, quote: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quote: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

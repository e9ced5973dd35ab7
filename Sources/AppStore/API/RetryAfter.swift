/// Reads the header `Retry-After` of the App Store Server API, which holds an instant in milliseconds since 1970 and not,
/// as RFC 9110 §10.2.3 has it, seconds or a date. Other readings are kept apart by their size.
public enum RetryAfter {
  /// No wait longer than this is believed: limits are counted over the hour.
  public static let waitMax: Int64 = 86_400_000

  /// The instant from which to try again, not before now and at most `waitMax` after; nil where the value is no
  /// number or cannot be meant.
  /// - Parameter now: milliseconds since 1970 UTC.
  public static func instant(_ value: String?, now: Int64) -> Int64? {
    guard let value, let number = Int64(value.trimmingBlanks), number >= 0 else { return nil }
    let instant: Int64
    switch number {
    case 1_000_000_000_000...: instant = number
    case 1_000_000_000..<1_000_000_000_000:
      // Seconds since 1970; below 10^12 they are no milliseconds of our century.
      instant = number * 1000
    case 0...waitMax / 1000:
      // A duration in seconds, as HTTP has it; a gateway in between may answer so.
      instant = now + number * 1000
    default: return nil
    }
    return min(max(instant, now), now + waitMax)
  }
}

extension String {
  /// Without the blanks and tabs that may stand around a header's value.
  fileprivate var trimmingBlanks: String {
    var rest = self[...]
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest)
  }
}

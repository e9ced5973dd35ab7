/// Instants as text: RFC 3339 in UTC with three decimals, as `2026-11-30T09:00:00.000Z`.
public enum RFC3339 {
  /// First and last millisecond of the years 0 to 9999, which four digits can tell.
  public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// - Parameter milliseconds: since 1970, UTC; years 0 to 9999, beyond them the nearest instant inside.
  public static func text(_ milliseconds: Int64) -> String {
    let instant = min(max(milliseconds, range.lowerBound), range.upperBound)
    let days = (instant >= 0 ? instant : instant - 86_399_999) / 86_400_000
    let inDay = instant - days * 86_400_000
    let (year, month, day) = civil(days)
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(inDay / 3_600_000, 2))"
      + ":\(pad(inDay / 60_000 % 60, 2)):\(pad(inDay / 1000 % 60, 2)).\(pad(inDay % 1000, 3))Z"
  }

  /// Reads `2026-11-30T09:00:00Z`, with up to three decimals, in UTC; nil where the text is something else.
  public static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[range] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      return value
    }
    let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    guard marks.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }), let year = number(0..<4), let month = number(5..<7),
      let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
      let second = number(17..<19), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
      second < 60
    else { return nil }
    var fraction: Int64 = 0
    if bytes.count > 20 {
      let decimals = bytes.count - 21
      guard bytes[19] == UInt8(ascii: "."), (1...3).contains(decimals), let digits = number(20..<20 + decimals) else {
        return nil
      }
      fraction = digits * [100, 10, 1][decimals - 1]
    }
    let days = dayNumber(year, month, day)
    guard civil(days) == (year, month, day) else { return nil }
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + fraction
  }

  // The proleptic Gregorian calendar, counted in years that begin in March, so that leap days come last.

  private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    return (
      year + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, ofYear - (153 * month + 2) / 5 + 1
    )
  }

  private static func pad(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

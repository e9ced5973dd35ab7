/// RFC 3339 text of an instant, computed without a calendar library.
public enum Timestamp {
  /// `2026-11-30T05:04:07.123Z`: UTC, always three decimals. RFC 3339 has years of four digits: an instant
  /// before the year 0 or after 9999 is written as the first or last instant that has a form.
  /// - Parameter milliseconds: since 1970, UTC; may be negative.
  public static func rfc3339(_ milliseconds: Int64) -> String {
    let instant = min(max(milliseconds, first), last)
    let days = floorDivide(instant, 86_400_000)
    let inDay = instant - days * 86_400_000
    let (year, month, day) = date(days)
    let seconds = inDay / 1000
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(seconds / 3600, 2) + ":"
      + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2) + "." + pad(inDay % 1000, 3) + "Z"
  }

  /// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
  private static let first: Int64 = -62_167_219_200_000
  private static let last: Int64 = 253_402_300_799_999

  /// Gregorian date of a day counted from 1970-01-01. The year is taken to begin in March, so that the leap day
  /// is its last, and 400 years are one whole cycle of 146,097 days.
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let cycle = floorDivide(shifted, 146_097)
    let inCycle = shifted - cycle * 146_097
    let yearInCycle = (inCycle - inCycle / 1460 + inCycle / 36_524 - inCycle / 146_096) / 365
    let inYear = inCycle - (365 * yearInCycle + yearInCycle / 4 - yearInCycle / 100)
    let marchMonth = (5 * inYear + 2) / 153
    let day = inYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = cycle * 400 + yearInCycle + (month <= 2 ? 1 : 0)
    return (year, month, day)
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }

  private static func pad(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

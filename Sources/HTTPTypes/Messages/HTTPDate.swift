/// The one date format HTTP writes (RFC 9110 §5.6.7, IMF-fixdate).
public enum HTTPDate {
  /// - Parameter milliseconds: since 1970, UTC; fractions of a second are cut.
  /// - Returns: as in `Sun, 06 Nov 1994 08:49:37 GMT`.
  public static func text(milliseconds: Int64) -> String {
    let seconds = floorDivide(milliseconds, 1000)
    let days = floorDivide(seconds, 86_400)
    let second = Int(seconds - days * 86_400)
    let (year, month, day) = civil(days: days)
    let weekday = weekdays[Int(((days % 7) + 11) % 7)]
    return "\(weekday), \(two(day)) \(months[month - 1]) \(four(year)) "
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func floorDivide(_ value: Int64, _ by: Int64) -> Int64 {
    let quotient = value / by
    return value % by < 0 ? quotient - 1 : quotient
  }

  /// Days since 1970 to the Gregorian date, counted in eras of 400 years that begin on a first of March.
  private static func civil(days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    let day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, day)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  private static func four(_ number: Int) -> String {
    String(repeating: "0", count: max(0, 4 - String(number).count)) + String(number)
  }
}

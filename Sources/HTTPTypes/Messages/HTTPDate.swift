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

  /// The instant that such a text names, milliseconds since 1970, UTC; nil for any other text, also for the two formats that
  /// HTTP no longer writes. The name of the day is not compared with the date.
  public static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    // As in `Sun, 06 Nov 1994 08:49:37 GMT`.
    guard bytes.count == 29, text.hasSuffix(" GMT"), weekdays.contains(String(text.prefix(3))),
      marks.allSatisfy({ bytes[$0.place] == $0.mark })
    else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[range] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      return value
    }
    guard let day = number(5..<7), let month = months.firstIndex(of: String(decoding: bytes[8..<11], as: UTF8.self)),
      let year = number(12..<16), let hour = number(17..<19), let minute = number(20..<22),
      let second = number(23..<25),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = Self.days(year: year, month: Int64(month) + 1, day: day)
    // A day that the month does not have comes back as another one.
    guard civil(days: days) == (Int(year), month + 1, Int(day)) else { return nil }
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000
  }

  /// Days since 1970 of a Gregorian date, the reverse of `civil`.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static let marks: [(place: Int, mark: UInt8)] = [
    (3, UInt8(ascii: ",")), (4, UInt8(ascii: " ")), (7, UInt8(ascii: " ")), (11, UInt8(ascii: " ")),
    (16, UInt8(ascii: " ")), (19, UInt8(ascii: ":")), (22, UInt8(ascii: ":")),
  ]
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

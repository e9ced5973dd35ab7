import Glibc

/// Instants in messages.
enum Instant {
  /// RFC 3339 in UTC with seconds, such as `2039-04-30T18:19:06Z`.
  static func text(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000)
    var parts = tm()
    // Beyond the years a calendar holds, the number itself says more.
    guard gmtime_r(&seconds, &parts) != nil, parts.tm_year > -1900, parts.tm_year < 8100 else {
      return "\(milliseconds) ms"
    }
    func pad(_ value: Int32, _ width: Int = 2) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(pad(parts.tm_year + 1900, 4))-\(pad(parts.tm_mon + 1))-\(pad(parts.tm_mday))"
      + "T\(pad(parts.tm_hour)):\(pad(parts.tm_min)):\(pad(parts.tm_sec))Z"
  }
}

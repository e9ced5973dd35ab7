/// Apple's thousandths of a percent in words for people.
public enum Milliunits {
  /// `0.094` for 94, `94` for 94,000: no more decimals than are needed.
  public static func percent(_ milliunits: Int64) -> String {
    let rest = milliunits % 1000
    guard rest != 0 else { return String(milliunits / 1000) }
    var decimals = String(repeating: "0", count: 3 - String(rest).utf8.count) + String(rest)
    while decimals.last == "0" { decimals.removeLast() }
    return "\(milliunits / 1000).\(decimals)"
  }
}

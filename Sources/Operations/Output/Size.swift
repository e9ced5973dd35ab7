/// Bytes and times for people.
enum Size {
  /// In the largest unit of which there is at least one, with a decimal below ten: `2.8 GB`, 1 GB being 10^9 bytes.
  static func text(_ bytes: Int64) -> String {
    var (value, unit) = (Double(bytes), 0)
    let units = ["B", "kB", "MB", "GB", "TB"]
    while value >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
    return unit == 0 || value >= 10 ? "\(Int64(value.rounded())) \(units[unit])" : "\(decimal(value)) \(units[unit])"
  }

  /// Seconds with one decimal.
  static func seconds(_ milliseconds: Int64) -> String { "\(decimal(Double(milliseconds) / 1_000)) s" }

  static func decimal(_ value: Double) -> String {
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// A value bound to a statement.
public enum SQLiteValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)
  /// Text that is at hand as UTF-8 bytes; stored as TEXT without a detour.
  case utf8([UInt8])
  case blob([UInt8])

  public static func integer(_ value: Int64?) -> Self { value.map { .integer($0) } ?? .null }
  public static func text(_ value: String?) -> Self { value.map { .text($0) } ?? .null }
  public static func blob(_ value: [UInt8]?) -> Self { value.map { .blob($0) } ?? .null }
  public static func utf8(_ value: [UInt8]?) -> Self { value.map { .utf8($0) } ?? .null }
}

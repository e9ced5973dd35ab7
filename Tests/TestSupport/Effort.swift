/// How much a test does: the short form runs with every build, the long one in `make soak`. It is the same test; only
/// counts differ, so that the short form cannot pass where the long one is known to fail for another reason.
public enum Effort {
  /// Set by `make soak`.
  public static let isLong = ProcessVariables["REFUNDLOG_EFFORT"] == "long"

  /// Set where each step takes ten times as long, as under a sanitizer.
  private static let isLeast = ProcessVariables["REFUNDLOG_EFFORT"] == "least"

  /// - Parameter least: for tests that are long in their short form; nil for the same.
  public static func pick<Value>(_ short: Value, long: Value, least: Value? = nil) -> Value {
    isLong ? long : isLeast ? least ?? short : short
  }

  /// The number that a random test draws from: REFUNDLOG_SEED where it is set, to see the same run again. A test prints
  /// it before it begins.
  public static func seed() -> UInt64 {
    ProcessVariables["REFUNDLOG_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...999_999)
  }
}

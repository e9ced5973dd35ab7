/// The release these programs belong to; the one place that says so.
public enum Release {
  /// Semantic version of the programs. Log format, events and contract have numbers of their own.
  public static let version = "0.1.0"
}

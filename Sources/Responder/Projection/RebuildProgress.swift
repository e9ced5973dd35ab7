/// How far a projection is with being made anew.
public struct RebuildProgress: Sendable, Equatable {
  public enum Phase: String, Sendable {
    /// The log is looked through for purchases that have a case.
    case listing
    /// Their streams are folded.
    case folding
    case indexing
    /// What was appended meanwhile is folded.
    case catchingUp
    case verifying
  }

  public var phase: Phase
  /// Of `total`: positions where it lists and catches up, else streams.
  public var done: Int64
  public var total: Int64
  /// The log's newest position when it was last asked.
  public var head: Int64

  /// 0 to 1, over all phases.
  public var share: Double {
    let part = total > 0 ? min(1, Double(done) / Double(total)) : 1
    return switch phase {
    case .listing: 0.45 * part
    case .folding: 0.45 + 0.45 * part
    case .indexing: 0.9 + 0.04 * part
    case .catchingUp: 0.94 + 0.03 * part
    case .verifying: 0.97 + 0.03 * part
    }
  }
}

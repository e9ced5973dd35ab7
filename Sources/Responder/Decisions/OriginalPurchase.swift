import Contracts
import EventLog

/// What counts of the purchase that a renewal renews.
struct OriginalPurchase {
  let stream: StreamName
  /// The version of the stream that the rest was read at.
  let version: Int64
  /// Evidence that was stated of it.
  let evidence: EvidenceState
  /// A call about it is under way, and its result will change the version.
  let isCalling: Bool

  /// - Parameter app: whose evidence counts; nil where nobody knows.
  init(_ state: CaseState, app: String?) {
    stream = state.stream
    version = state.version
    evidence = state.evidence(of: app)
    isCalling = state.isCalling
  }
}

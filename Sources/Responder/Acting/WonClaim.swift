import AppStore
import Contracts
import EventLog

/// The right to make one call, as it stands in the log, with what the caller needs.
struct WonClaim: Sendable {
  var state: CaseState
  var prepared: ConsumptionPrepared
  /// Id of the claim's event.
  var id: String
  var position: Position
  /// Streams that the decision rested on.
  var streams: Set<StreamName>
  var environment: ServerEnvironment
  var tokens: BearerTokenMaker

  /// The refund request it is about, as it was before the claim.
  var request: RefundRequest? { state.requests.first { $0.id == prepared.request } }
}

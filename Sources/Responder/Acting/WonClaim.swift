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
  /// Limits that calls of the app met one after the other before it.
  var limitsInARow = 0
  /// When Apple last took a token of the app in this environment, and in which others it took one.
  var takenAt: Int64?
  var takenIn: [String] = []

  /// Where it counts for Apple's limit.
  /// - Precondition: of a case whose app is known; nothing is claimed for another.
  var lane: CallLane { CallLane(gate: CallGates.Name(state)!, kind: .consumption) }

  /// The refund request it is about, as it was before the claim.
  var request: RefundRequest? { state.requests.first { $0.id == prepared.request } }
}

/// What a feeding found: what is in the log now, what can never get there, and what stays for
/// another reason than before.
struct ParkedSettlement: Sendable {
  struct Staying: Sendable {
    var id: Int64
    var reason: ParkingReason
    var detail: String
  }

  /// Numbers in the state.
  var inLog: [Int64] = []
  /// Refused whatever the settings are.
  var refused: [Int64] = []
  var staying: [Staying] = []

  var isEmpty: Bool { inLog.isEmpty && refused.isEmpty && staying.isEmpty }
}

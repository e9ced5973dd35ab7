/// The files of a local log, beside each other in one folder.
struct LogFiles: Sendable {
  let folder: String
  var events: String { folder + "/events.sqlite" }
  var bell: String { folder + "/events.bell" }
  /// The two locks of the gate.
  var next: String { folder + "/events.next" }
  var gate: String { folder + "/events.gate" }
}

/// The files of a local log, beside each other in one folder.
struct LogFiles: Sendable {
  let folder: String
  var events: String { folder + "/events.sqlite" }
  var writeAhead: String { events + "-wal" }
  var bell: String { folder + "/events.bell" }
  /// The two locks of the gate.
  var next: String { folder + "/events.next" }
  var gate: String { folder + "/events.gate" }
  /// Each of them that a writer must be able to use.
  var all: [String] { [events, writeAhead, events + "-shm", bell, next, gate] }
}

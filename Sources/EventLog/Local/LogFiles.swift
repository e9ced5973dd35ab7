/// The files of a local log, beside each other in one folder.
struct LogFiles: Sendable {
  let folder: String
  var events: String { folder + "/events.sqlite" }
  var writeAhead: String { events + "-wal" }
  var bell: String { folder + "/events.bell" }
  /// The two locks of the gate.
  var next: String { folder + "/events.next" }
  var gate: String { folder + "/events.gate" }
  /// Names of files that services make beside a log that is there, and never before: where one lies without a log, a log
  /// was here.
  static func standsBesideALog(_ name: String) -> Bool {
    name == "receiver-state.sqlite" || (name.hasPrefix("cases-v") && name.hasSuffix(".sqlite"))
  }
  /// Each of them that a writer must be able to use.
  var all: [String] { [events, writeAhead, events + "-shm", bell, next, gate] }
}

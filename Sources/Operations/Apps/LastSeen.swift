import Contracts
import EventLog

/// The newest notification of each app, looked for from the end of the log.
struct LastSeen {
  /// Further back than this many events nothing is looked for: the answer is for people who wait.
  static let eventsMax: Int64 = 50_000
  private static let batch: Int64 = 1_000

  /// By bundle id.
  private(set) var events: [String: RecordedEvent] = [:]

  init(_ apps: [String], in log: LocalEventLog) throws(LogReadError) {
    var through = try log.head().position.value
    let first = max(0, through - Self.eventsMax)
    var missing = Set(apps)
    while through > first, !missing.isEmpty {
      let after = max(first, through - Self.batch)
      for event in try log.read(after: Position(after), limit: Int(through - after)).reversed() {
        guard event.type == EventType.notificationReceived.rawValue, let app = event.app else { continue }
        if missing.remove(app) != nil { events[app] = event }
      }
      through = after
    }
  }
}

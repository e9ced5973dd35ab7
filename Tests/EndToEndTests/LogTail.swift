import EventLog

@testable import Operations

/// Reads what has come into a log since it was asked last.
struct LogTail {
  private let log: LocalEventLog
  private var position = Position.start

  /// - Parameter data: the log's folder, beside the programs that write it.
  init(_ data: String) throws { log = try LocalEventLog.reading(data) }

  mutating func news() throws -> [RecordedEvent] {
    var found: [RecordedEvent] = []
    while true {
      let events = try log.read(after: position, limit: 1_000)
      guard let last = events.last else { return found }
      found += events
      position = last.position
    }
  }
}

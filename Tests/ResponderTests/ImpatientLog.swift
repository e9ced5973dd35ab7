import EventLog
import Glibc

/// A log whose readers look again after a moment, whether something woke them or not: a loop over it passes many times
/// a second, so that a test sees soon what it does when there is nothing to do.
struct ImpatientLog: EventLog {
  let log: MemoryEventLog

  var identity: LogIdentity { log.identity }

  func submit(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion],
    then: @escaping @Sendable (Result<AppendOutcome, AppendError>) -> Void
  ) { log.submit(events, expecting: expecting, then: then) }

  func head() throws(LogReadError) -> Bookmark { try log.head() }

  func read(after position: Position, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try log.read(after: position, limit: limit)
  }

  func read(after bookmark: Bookmark, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try log.read(after: bookmark, limit: limit)
  }

  func read(stream: StreamName, after version: Int64, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try log.read(stream: stream, after: version, limit: limit)
  }

  func read(id: EventID) throws(LogReadError) -> RecordedEvent? { try log.read(id: id) }
  func header(digest: [UInt8]) throws(LogReadError) -> [UInt8]? { try log.header(digest: digest) }
  func keyedDigest(_ fields: [[UInt8]]) -> String { log.keyedDigest(fields) }
  func erase(_ ids: [EventID]) throws(AppendError) -> [Position] { try log.erase(ids) }
  func wakeups() -> any LogWakeups { Moments() }

  private struct Moments: LogWakeups {
    func wait(milliseconds: Int) { usleep(UInt32(min(milliseconds, 2)) * 1_000) }
    func wake() {}
  }
}

import EventLog
import Service

/// A log in memory that takes nothing the first so many times.
final class FailingLog: EventLog {
  private let log = IntakeFixture.memory()
  private let failures: Monitor<Int>

  init(failures: Int) { self.failures = Monitor(failures) }

  var failuresLeft: Int { failures.withLock { $0 } }

  var identity: LogIdentity { log.identity }

  func submit(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion],
    then: @escaping @Sendable (Result<AppendOutcome, AppendError>) -> Void
  ) {
    let fails = failures.withLock { left in
      defer { left = max(0, left - 1) }
      return left > 0
    }
    if fails { return then(.failure(.notWritten("the disk is full"))) }
    log.submit(events, expecting: expecting, then: then)
  }

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
  func wakeups() -> any LogWakeups { log.wakeups() }
  func keyedDigest(_ fields: [[UInt8]]) -> String { log.keyedDigest(fields) }
  func erase(_ ids: [EventID]) throws(AppendError) -> [Position] { try log.erase(ids) }
}

import EventLog
import Service

/// A log in memory that does not take events of some types, for as long as the test says so.
final class RefusingLog: EventLog {
  private let log: MemoryEventLog
  private let rule = Monitor((types: Set<String>(), error: AppendError.notWritten("the disk is full")))

  init(_ log: MemoryEventLog) { self.log = log }

  func refuse(_ types: Set<String>, _ error: AppendError = .notWritten("the disk is full")) {
    rule.change { $0 = (types, error) }
  }

  func submit(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion],
    then: @escaping @Sendable (Result<AppendOutcome, AppendError>) -> Void
  ) {
    let (types, error) = rule.withLock { $0 }
    if events.contains(where: { types.contains($0.type) }) { return then(.failure(error)) }
    log.submit(events, expecting: expecting, then: then)
  }

  var identity: LogIdentity { log.identity }
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
  func wakeups() -> any LogWakeups { log.wakeups() }
}

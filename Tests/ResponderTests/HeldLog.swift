import EventLog
import Service

/// A log that keeps whoever lists its streams waiting, as a very long one does: a projection that is made from it is not
/// ready until the test says so.
final class HeldLog: EventLog {
  private let log: MemoryEventLog
  private let state = Monitor((isHeld: true, isAsked: false))

  init(_ log: MemoryEventLog) { self.log = log }

  /// Whether somebody is kept waiting within ten seconds.
  func isAsked() -> Bool {
    state.wait(until: MonotonicClock.milliseconds() + 10_000) { $0.isAsked ? true : nil } == true
  }

  func letGo() { state.change { $0 = (false, false) } }
  func holdAgain() { state.change { $0 = (true, false) } }

  func streams(
    ofKinds kinds: [String], after start: Position, through end: Position
  ) throws(LogReadError) -> [StreamName] {
    state.change { $0.isAsked = true }
    // Not for ever: a test that failed lets nobody go.
    _ = state.wait(until: MonotonicClock.milliseconds() + 20_000) { $0.isHeld ? nil : true }
    return try log.streams(ofKinds: kinds, after: start, through: end)
  }

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
  func wakeups() -> any LogWakeups { log.wakeups() }
}

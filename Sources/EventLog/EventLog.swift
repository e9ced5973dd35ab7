/// An append-only log of events with one gap-free order, and one idempotency key per event for ever.
///
/// Reading and the blocking `append` are for owned threads: they wait for the disk.
public protocol EventLog: Sendable {
  var identity: LogIdentity { get }

  /// Writes all events of the call or none. Ids are looked at first and versions second, so that a retry after
  /// a lost reply is a duplicate and never a conflict; versions are checked when any event of the call is new.
  /// - Parameters:
  ///   - expecting: versions of streams, also of ones that nothing is appended to.
  ///   - then: called once: from a thread of the log when the events are on disk, or within
  ///     `AppendDeadline.milliseconds` when that is not known; at once, from the caller's, where the call is not taken
  ///     at all. It must not block.
  func submit(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion],
    then: @escaping @Sendable (Result<AppendOutcome, AppendError>) -> Void)

  /// The newest event's position and chain.
  func head() throws(LogReadError) -> Bookmark

  /// Events after a position, oldest first, at most `limit`; empty when there are none yet.
  func read(after position: Position, limit: Int) throws(LogReadError) -> [RecordedEvent]

  /// Events after a bookmark, which is first checked against the log.
  func read(after bookmark: Bookmark, limit: Int) throws(LogReadError) -> [RecordedEvent]

  /// Events of one stream after a version of it, oldest first, at most `limit`.
  func read(stream: StreamName, after version: Int64, limit: Int) throws(LogReadError) -> [RecordedEvent]

  /// Streams with an event of one of these kinds after one position and up to another, a stream once for each such
  /// event. A kind also stands for what follows it after a slash.
  func streams(
    ofKinds kinds: [String], after start: Position, through end: Position
  ) throws(LogReadError) -> [StreamName]

  /// Names of streams that begin so, in the order of their bytes, after a name; at most `limit`.
  func streams(named prefix: String, after last: StreamName?, limit: Int) throws(LogReadError) -> [StreamName]

  /// Hands over the events of streams up to a position, stream after stream in the order given, each oldest first:
  /// what they tell, without what proves it. Seams, salt, digest and chain may be empty.
  /// - Parameters:
  ///   - type: events of this type are passed over, and their data is not read.
  ///   - kinds: those of them that are handed over all the same. A kind also stands for what follows it after a slash.
  func read(
    streams: [StreamName], through end: Position, passingOver type: String?, butOfKinds kinds: [String],
    _ body: (RecordedEvent) -> Void
  ) throws(LogReadError)

  /// Version of a stream's newest event up to a position; 0 where it has none.
  func version(of stream: StreamName, through end: Position) throws(LogReadError) -> Int64

  /// The event with that id; nil where there is none.
  func read(id: EventID) throws(LogReadError) -> RecordedEvent?

  /// The bytes of a protected header that seams name.
  func header(digest: [UInt8]) throws(LogReadError) -> [UInt8]?

  /// Something to wait on between reads. May wake for nothing.
  func wakeups() -> any LogWakeups

  /// HMAC-SHA-256 with the log's secret over length-prefixed fields, as lower-case hex: for pseudonyms and for
  /// callers' idempotency keys, neither of which may stand in ids and stream names as they are.
  func keyedDigest(_ fields: [[UInt8]]) -> String

  /// Blanks data, seams and salt of the events and keeps everything else, so that the chain still holds.
  /// - Returns: positions that were blanked now; ids that are absent or blank already are passed over.
  func erase(_ ids: [EventID]) throws(AppendError) -> [Position]
}

/// Waits for news of the log; one thread waits.
public protocol LogWakeups: Sendable {
  /// Returns when the log may have grown, after the time given, and after a second in any case: news can be missed.
  func wait(milliseconds: Int)

  /// Ends that wait, or the next one where none is under way; for any thread that has news of another kind.
  func wake()
}

public enum AppendDeadline {
  /// After this long a call that is not on disk is answered as unknown.
  public static let milliseconds: Int64 = 3_000
}

import Service

/// The log's twin in memory, for tests of what stands above it. Forgets with its process.
public final class MemoryEventLog: EventLog {
  public let identity: LogIdentity
  private let parts: LogParts
  private let state = Monitor(State())

  private struct State: LogIndex {
    var events: [RecordedEvent] = []
    var places: [EventID: Int] = [:]
    var streams: [StreamName: [Int]] = [:]
    var headers: [[UInt8]: [UInt8]] = [:]
    var calls = 0

    /// Grows with whatever ends a wait.
    var news: Int { events.count + calls }

    func known(_ id: EventID) -> KnownEvent? {
      places[id].map { events[$0] }.map {
        KnownEvent(
          position: $0.position, stream: $0.stream, type: $0.type, schema: $0.schema, data: $0.data, seams: $0.seams)
      }
    }

    func version(of stream: StreamName) -> Int64 { Int64(streams[stream]?.count ?? 0) }

    mutating func add(_ event: RecordedEvent) {
      places[event.id] = events.count
      streams[event.stream, default: []].append(events.count)
      events.append(event)
    }
  }

  public init(parts: LogParts) {
    self.parts = parts
    identity = LogIdentity(
      id: parts.newLogID(), secret: parts.randomBytes(32), format: LogSchema.format, createdAt: parts.clock())
  }

  /// The same log up to a position, as a backup holds it.
  public init(copyOf other: MemoryEventLog, through position: Position) {
    parts = other.parts
    identity = other.identity
    let (events, headers) = other.state.withLock { ($0.events.prefix(Int(position.value)), $0.headers) }
    state.change { state in
      for event in events { state.add(event) }
      state.headers = headers
    }
  }

  public func submit(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion],
    then: @escaping @Sendable (Result<AppendOutcome, AppendError>) -> Void
  ) {
    let sealed: [SealedDraft]
    do throws(AppendError) { sealed = try SealedDraft.seal(events, parts: parts) } catch {
      return then(.failure(error))
    }
    let outcome = state.change { state in
      let next = Position(Int64(state.events.count) + 1)
      let plan = AppendPlan.make(sealed, expecting: expecting, next: next, in: state)
      for insertion in plan.insertions {
        let draft = insertion.sealed.draft
        let event = insertion.recorded(at: parts.clock(), after: state.events.last?.chain ?? identity.genesis)
        for (digest, header) in zip(draft.seams?.headerDigests ?? [], draft.headers) { state.headers[digest] = header }
        state.add(event)
      }
      return plan.outcome
    }
    then(.success(outcome))
  }

  public func erase(_ ids: [EventID]) throws(AppendError) -> [Position] {
    state.change { state in
      ids.compactMap { id in
        guard let place = state.places[id], !state.events[place].isErased else { return nil }
        state.events[place].data = nil
        state.events[place].seams = nil
        state.events[place].salt = nil
        return state.events[place].position
      }
    }
  }

  public func head() throws(LogReadError) -> Bookmark {
    state.withLock { state in
      Bookmark(
        log: identity.id, position: Position(Int64(state.events.count)),
        chain: state.events.last?.chain ?? identity.genesis,
        restored: state.events.last { $0.isLogRestored }?.position ?? .start)
    }
  }

  public func read(after position: Position, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    state.withLock { Array($0.events.dropFirst(Int(position.value)).prefix(limit)) }
  }

  public func read(after bookmark: Bookmark, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    guard bookmark.log == identity.id else { throw .replaced(expected: bookmark.log, found: identity.id) }
    let result = state.withLock { state -> Result<[RecordedEvent], LogReadError> in
      let passed = state.events.prefix(Int(bookmark.position.value))
      let restored = passed.last { $0.isLogRestored }?.position ?? .start
      if restored > bookmark.restored { return .failure(.restored(at: restored)) }
      guard passed.count == bookmark.position.value else {
        return .failure(.lost(from: Position(Int64(passed.count) + 1), through: bookmark.position))
      }
      guard passed.last?.chain ?? identity.genesis == bookmark.chain else {
        return .failure(.altered(bookmark.position))
      }
      return .success(Array(state.events[passed.endIndex...].prefix(limit)))
    }
    return try result.get()
  }

  public func read(stream: StreamName, after version: Int64, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    state.withLock { state in
      (state.streams[stream] ?? []).dropFirst(Int(version)).prefix(limit).map { state.events[$0] }
    }
  }

  public func read(id: EventID) throws(LogReadError) -> RecordedEvent? {
    state.withLock { state in state.places[id].map { state.events[$0] } }
  }

  public func header(digest: [UInt8]) throws(LogReadError) -> [UInt8]? { state.withLock { $0.headers[digest] } }

  public func wakeups() -> any LogWakeups { Wakeups(log: self) }

  public func keyedDigest(_ fields: [[UInt8]]) -> String { EventHash.keyed(identity.secret, fields) }

  /// `@unchecked Sendable`: `seen` is touched by the thread that waits.
  private final class Wakeups: LogWakeups, @unchecked Sendable {
    private let log: MemoryEventLog
    private var seen = 0

    init(log: MemoryEventLog) { self.log = log }

    func wait(milliseconds: Int) {
      let deadline = MonotonicClock.milliseconds() + Int64(min(milliseconds, 1_000))
      let seen = seen
      self.seen = log.state.wait(until: deadline) { $0.news > seen ? $0.news : nil } ?? seen
    }

    /// All who wait for this log may wake for nothing.
    func wake() { log.state.change { $0.calls += 1 } }
  }
}

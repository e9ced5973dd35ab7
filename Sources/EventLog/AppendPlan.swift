/// What a log must be able to tell about itself so that a call can be judged.
protocol LogIndex {
  associatedtype Failure: Error
  func known(_ id: EventID) throws(Failure) -> KnownEvent?
  func version(of stream: StreamName) throws(Failure) -> Int64
}

/// What is compared when an id comes a second time.
struct KnownEvent {
  var position: Position
  var stream: StreamName
  var type: String
  var schema: Int64
  /// nil where erased.
  var data: [UInt8]?
  var seams: [UInt8]?

  func isSame(as draft: EventDraft) -> Bool {
    guard let data else { return stream == draft.stream && type == draft.type && schema == draft.schema }
    return stream == draft.stream && type == draft.type && schema == draft.schema && data == draft.data
      && seams == draft.seams?.encoded
  }
}

/// How one call is to be written: which events are new, with which position and version. Both logs judge by it.
struct AppendPlan {
  struct Insertion {
    var sealed: SealedDraft
    var position: Position
    var version: Int64
  }

  var outcome: AppendOutcome
  /// Empty on a conflict and where everything was known.
  var insertions: [Insertion]

  /// - Parameter next: the position the first new event will get.
  static func make<Index: LogIndex>(
    _ events: [SealedDraft], expecting: [StreamName: ExpectedVersion], next: Position, in index: Index
  ) throws(Index.Failure) -> AppendPlan {
    var known: [EventID: KnownEvent] = [:]
    for event in events.map(\.draft) where known[event.id] == nil { known[event.id] = try index.known(event.id) }
    if events.contains(where: { known[$0.draft.id] == nil }) {
      for (stream, expected) in expecting.sorted(by: { $0.key.text < $1.key.text }) {
        let actual = try index.version(of: stream)
        if !expected.isMet(by: actual) {
          return AppendPlan(outcome: .conflict(stream: stream, actual: actual), insertions: [])
        }
      }
    }
    var recordings: [AppendOutcome.Recording] = []
    var insertions: [Insertion] = []
    var versions: [StreamName: Int64] = [:]
    for sealed in events {
      let event = sealed.draft
      if let known = known[event.id] {
        recordings.append(.duplicate(first: known.position, same: known.isSame(as: event)))
        continue
      }
      let position = Position(next.value + Int64(insertions.count))
      let written = versions[event.stream]
      let version = if let written { written + 1 } else { try index.version(of: event.stream) + 1 }
      versions[event.stream] = version
      insertions.append(Insertion(sealed: sealed, position: position, version: version))
      recordings.append(.appended(position))
      // The same id further on in this call is a duplicate of this one.
      known[event.id] = KnownEvent(
        position: position, stream: event.stream, type: event.type, schema: event.schema, data: event.data,
        seams: event.seams?.encoded)
    }
    return AppendPlan(outcome: .recorded(recordings), insertions: insertions)
  }
}

extension AppendPlan.Insertion {
  /// The event with everything the log adds.
  func recorded(at instant: Int64, after chain: [UInt8]) -> RecordedEvent {
    let draft = sealed.draft
    var event = RecordedEvent(
      position: position, id: draft.id, stream: draft.stream, version: version, type: draft.type,
      schema: draft.schema, kind: draft.kind, environment: draft.environment, app: draft.app,
      customer: draft.customer, occurredAt: draft.occurredAt, signedAt: draft.signedAt, recordedAt: instant,
      causation: draft.causation, correlation: draft.correlation, data: draft.data, seams: draft.seams?.encoded,
      salt: sealed.salt, digest: sealed.digest, chain: [])
    event.chain = EventHash.chain(after: chain, event)
    return event
  }
}

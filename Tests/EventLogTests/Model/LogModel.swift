import EventLog

/// A log as DESIGN section 4 tells it and in no other way: a list of events, plain enough to be
/// believed.
struct LogModel {
  struct Entry {
    var draft: EventDraft
    var version: Int64
    var isErased = false
  }

  private(set) var entries: [Entry] = []
  private var places: [EventID: Int] = [:]
  private var versions: [StreamName: Int64] = [:]

  enum Verdict: Equatable {
    case recorded([AppendOutcome.Recording])
    /// Each of these streams has another version than expected; the log may name any of them.
    case conflict([StreamName: Int64])

    func allows(_ outcome: AppendOutcome) -> Bool {
      switch (self, outcome) {
      case (.recorded(let expected), .recorded(let found)): expected == found
      case (.conflict(let streams), .conflict(let stream, let actual)): streams[stream] == actual
      default: false
      }
    }
  }

  /// Ids are looked at first, versions second; versions are checked when any event of the call is new. A conflict
  /// writes nothing of its call.
  mutating func append(_ events: [EventDraft], expecting: [StreamName: ExpectedVersion]) -> Verdict {
    if !events.allSatisfy({ places[$0.id] != nil }) {
      var missed: [StreamName: Int64] = [:]
      for (stream, expected) in expecting {
        let version = version(of: stream)
        switch expected {
        case .any: break
        case .none: if version != 0 { missed[stream] = version }
        case .exactly(let wanted): if version != wanted { missed[stream] = version }
        }
      }
      if !missed.isEmpty { return .conflict(missed) }
    }
    return .recorded(events.map { write($0) })
  }

  private mutating func write(_ draft: EventDraft) -> AppendOutcome.Recording {
    if let place = places[draft.id] {
      let entry = entries[place]
      var same = entry.draft.stream == draft.stream && entry.draft.type == draft.type
      same = same && entry.draft.schema == draft.schema
      // What was erased can no longer be told apart.
      if !entry.isErased { same = same && entry.draft.data == draft.data && entry.draft.seams == draft.seams }
      return .duplicate(first: Position(Int64(place + 1)), same: same)
    }
    places[draft.id] = entries.count
    versions[draft.stream, default: 0] += 1
    entries.append(Entry(draft: draft, version: version(of: draft.stream)))
    return .appended(Position(Int64(entries.count)))
  }

  /// Positions that are blank now and were not before, in the order of the ids.
  mutating func erase(_ ids: [EventID]) -> [Position] {
    var positions: [Position] = []
    for id in ids {
      guard let place = places[id], !entries[place].isErased else { continue }
      entries[place].isErased = true
      positions.append(Position(Int64(place + 1)))
    }
    return positions
  }

  func version(of stream: StreamName) -> Int64 { versions[stream] ?? 0 }

  /// Whether a recorded event is the one that stands here at its position.
  func holds(_ event: RecordedEvent) -> Bool {
    guard entries.indices.contains(Int(event.position.value - 1)) else { return false }
    let entry = entries[Int(event.position.value - 1)]
    return event.id == entry.draft.id && event.stream == entry.draft.stream && event.version == entry.version
      && event.type == entry.draft.type && event.schema == entry.draft.schema
      && event.data == (entry.isErased ? nil : entry.draft.data)
      && event.seams == (entry.isErased ? nil : entry.draft.seams?.encoded)
  }
}

import Contracts
import EventLog

/// Folds the log into the projection, batch by batch, and tells which cases may have something to do now.
final class Projector {
  private static let batch = 500

  private let log: any EventLog
  private let onStuck: (RecordedEvent, ContractError) -> Void
  private let onUnknown: (RecordedEvent) -> Void
  let store: CaseStore
  private var bookmark: Bookmark

  /// - Parameters:
  ///   - onStuck: told of each event that cannot be folded.
  ///   - onUnknown: told of each event of a type that this release does not know; it is passed over.
  init(
    log: any EventLog, store: CaseStore, onStuck: @escaping (RecordedEvent, ContractError) -> Void = { _, _ in },
    onUnknown: @escaping (RecordedEvent) -> Void = { _ in }
  ) throws(ProjectionError) {
    self.log = log
    self.onStuck = onStuck
    self.onUnknown = onUnknown
    self.store = store
    bookmark = try store.bookmark() ?? Bookmark(startOf: log.identity)
  }

  /// Takes the next events of the log; a log that was replaced or restored is read again from the beginning.
  /// - Returns: purchases whose case, customer or app changed; nil when there was nothing new.
  func advance() throws(ProjectionError) -> Set<PurchaseKey>? {
    let events: [RecordedEvent]
    do throws(LogReadError) {
      events = try log.read(after: bookmark, limit: Self.batch)
    } catch {
      switch error {
      case .replaced, .restored:
        try startOver()
        return []
      case .lost, .altered, .unreadable: throw .log(error)
      }
    }
    if events.isEmpty { return nil }
    var touched: Set<PurchaseKey> = []
    bookmark = try store.change { () throws(ProjectionError) -> Bookmark in
      var place = bookmark
      for event in events {
        try fold(event, into: &touched)
        place = place.passing(event)
      }
      try store.keep(place)
      return place
    }
    return touched
  }

  private func startOver() throws(ProjectionError) {
    try store.clear()
    bookmark = Bookmark(startOf: log.identity)
  }

  private func fold(_ event: RecordedEvent, into touched: inout Set<PurchaseKey>) throws(ProjectionError) {
    if !EventType.knows(event.type) { onUnknown(event) }
    if try store.isStuck(event.stream) { return }
    if let key = PurchaseKey(stream: event.stream.text) {
      // What is stated of an original purchase counts for its renewals too.
      touched.formUnion(try store.livingCases(ofOriginal: key, at: event.recordedAt))
      guard let state = try caseState(key, at: event) else { return }
      try keep(state, after: event, { state throws(ContractError) in try state.fold(event) }, store.keep)
      touched.insert(key)
    } else if let id = event.stream.text.rest(after: "customer/") {
      let state = try store.customer(id)
      try keep(state, after: event, { state throws(ContractError) in try state.fold(event) }) {
        state throws(ProjectionError) in try store.keep(state, of: id)
      }
      touched.formUnion(try store.livingCases(ofCustomer: id, at: event.recordedAt))
    } else if let id = event.stream.text.rest(after: "app/") {
      let state = try store.app(id)
      try keep(state, after: event, { state throws(ContractError) in try state.fold(event) }) {
        state throws(ProjectionError) in try store.keep(state, of: id)
      }
      // Notifications without a purchase change nothing about one.
      if event.type != EventType.notificationReceived.rawValue {
        touched.formUnion(try store.livingCases(ofApp: id, at: event.recordedAt))
      }
    } else if event.stream.text == Streams.log {
      var state = try store.sending()
      state.fold(event)
      try store.keep(state)
      // What a restore holds up, and what goes on after it, may be any of them.
      touched.formUnion(try store.livingCases(at: event.recordedAt))
    }
  }

  private func keep<State>(
    _ state: State, after event: RecordedEvent, _ fold: (inout State) throws(ContractError) -> Void,
    _ keep: (State) throws(ProjectionError) -> Void
  ) throws(ProjectionError) {
    var state = state
    do throws(ContractError) { try fold(&state) } catch { return try markStuck(event, error) }
    try keep(state)
  }

  private func markStuck(_ event: RecordedEvent, _ error: ContractError) throws(ProjectionError) {
    try store.markStuck(event, error: error.description)
    onStuck(event, error)
  }

  /// The case just before an event of its purchase; nil where the event is no reason to have one. A case that opens
  /// now is read from the start of its stream: what came before was not decoded.
  private func caseState(_ key: PurchaseKey, at event: RecordedEvent) throws(ProjectionError) -> CaseState? {
    if let known = try store.caseState(key) { return known }
    guard CaseState.opensCase(kind: event.kind) else { return nil }
    switch try folded(key, before: event.version) {
    case .success(let state): return state
    case .failure(let error):
      try markStuck(event, error)
      return nil
    }
  }

  /// The state of a purchase that may have no case; then its stream is read now. nil where it cannot be folded.
  func caseOrStream(_ key: PurchaseKey) throws(ProjectionError) -> CaseState? {
    if try store.isStuck(StreamName(key.stream)) { return nil }
    if let known = try store.caseState(key) { return known }
    guard case .success(let read) = try folded(key, before: .max) else { return nil }
    return read
  }

  private func folded(
    _ key: PurchaseKey, before end: Int64
  ) throws(ProjectionError) -> Result<CaseState, ContractError> {
    var state = CaseState(key)
    while state.version < end - 1 {
      let events: [RecordedEvent]
      do throws(LogReadError) {
        events = try log.read(stream: state.stream, after: state.version, limit: Self.batch)
      } catch { throw .log(error) }
      if events.isEmpty { break }
      for event in events where event.version < end {
        do throws(ContractError) { try state.fold(event) } catch { return .failure(error) }
      }
      if events.last!.version >= end { break }
    }
    return .success(state)
  }
}

extension String {
  /// What follows a prefix; nil where the text begins otherwise.
  func rest(after prefix: String) -> String? {
    utf8.starts(with: prefix.utf8) ? String(self[utf8.index(utf8.startIndex, offsetBy: prefix.utf8.count)...]) : nil
  }
}

import Contracts
import EventLog

/// Folds the log into the projection, batch by batch, and tells which cases may have something to do now.
final class Projector {
  static let batch = 500
  /// Marks that are held in memory; beyond that many each is asked for.
  private static let stuckMax = 10_000

  /// Told of what does not fold.
  struct Listener {
    var stuck: (StuckMark) -> Void = { _ in }
    /// How many events of a type this release does not know were passed over.
    var unknown: (Int) -> Void = { _ in }
  }

  private let log: any EventLog
  private let listener: Listener
  let store: CaseStore
  private(set) var bookmark: Bookmark
  private var kept: Bookmark?
  /// Streams that are left alone; nil where they are too many to hold.
  private var stuck: Set<StreamName>?
  /// Cases of the batch at hand that are not written yet: a case that many events are about is written once.
  private var changed: [PurchaseKey: CaseState] = [:]

  init(log: any EventLog, store: CaseStore, listener: Listener = Listener()) throws(ProjectionError) {
    self.log = log
    self.listener = listener
    self.store = store
    kept = try store.bookmark()
    bookmark = kept ?? Bookmark(startOf: log.identity)
    let marks = try store.stuckStreams(limit: Self.stuckMax + 1)
    stuck = marks.count > Self.stuckMax ? nil : Set(marks)
  }

  /// Takes the next events of the log.
  /// - Returns: purchases whose case, customer or app changed; nil when there was nothing new.
  /// - Throws: where the log was replaced or restored, the projection is to be made anew.
  func advance() throws(ProjectionError) -> Set<PurchaseKey>? {
    let events: [RecordedEvent]
    do throws(LogReadError) { events = try log.read(after: bookmark, limit: Self.batch) } catch { throw .log(error) }
    if events.isEmpty { return nil }
    var touched: Set<PurchaseKey> = []
    var unknown = 0
    changed = [:]
    let place = try store.change { () throws(ProjectionError) -> Bookmark in
      var place = bookmark
      for event in events {
        if !EventType.isKnown(event) { unknown += 1 }
        try fold(event, into: &touched)
        place = place.passing(event)
      }
      try writeChanged()
      try store.keep(place, replacing: kept)
      return place
    }
    bookmark = place
    kept = place
    if unknown > 0 { listener.unknown(unknown) }
    return touched
  }

  private func fold(_ event: RecordedEvent, into touched: inout Set<PurchaseKey>) throws(ProjectionError) {
    if try isStuck(event.stream) { return }
    switch ProjectedStream(event.stream) {
    case .purchase(let key):
      // What is stated of an original purchase counts for its renewals too; what Apple says of it does not.
      if event.type != EventType.notificationReceived.rawValue {
        try writeChanged()
        touched.formUnion(try store.livingCases(ofOriginal: key, at: event.recordedAt))
      }
      guard var state = try caseState(key, at: event) else { return }
      do throws(ContractError) { try state.fold(event) } catch { return try mark(StuckMark(event, error: error)) }
      changed[key] = state
      touched.insert(key)
    case .customer(let id):
      var state = try store.customer(id)
      do throws(ContractError) { try state.fold(event) } catch { return try mark(StuckMark(event, error: error)) }
      try store.keep(state, of: id)
      try writeChanged()
      touched.formUnion(try store.livingCases(ofCustomer: id, at: event.recordedAt))
    case .app(let id):
      var state = try store.app(id)
      let rescission: Rescission?
      do throws(ContractError) {
        try state.fold(event)
        rescission = try Rescission(event)
      } catch { return try mark(StuckMark(event, error: error)) }
      try store.keep(state, of: id)
      if let rescission { try store.keep(rescission, of: id) }
      // No other notification without a purchase changes anything about one.
      if event.type != EventType.notificationReceived.rawValue || rescission != nil {
        try writeChanged()
        touched.formUnion(try store.livingCases(ofApp: id, at: event.recordedAt))
      }
    case .log:
      var state = try store.sending()
      state.fold(event)
      try store.keep(state)
      try writeChanged()
      // What a restore holds up, and what goes on after it, may be any of them.
      touched.formUnion(try store.livingCases(at: event.recordedAt))
    case .other: return
    }
  }

  private func writeChanged() throws(ProjectionError) {
    for state in changed.values { try store.keep(state) }
    changed = [:]
  }

  private func isStuck(_ stream: StreamName) throws(ProjectionError) -> Bool {
    if let stuck { return stuck.contains(stream) }
    return try store.isStuck(stream)
  }

  private func mark(_ mark: StuckMark) throws(ProjectionError) {
    try store.keep(mark)
    stuck?.insert(mark.stream)
    if stuck?.count ?? 0 > Self.stuckMax { stuck = nil }
    listener.stuck(mark)
  }

  /// The case just before an event of its purchase; nil where the event is no reason to have one. A case that opens
  /// now is read from the start of its stream: what came before was not decoded.
  private func caseState(_ key: PurchaseKey, at event: RecordedEvent) throws(ProjectionError) -> CaseState? {
    if let known = changed[key] { return known }
    if let known = try store.caseState(key) { return known }
    guard CaseState.opensCase(kind: event.kind) else { return nil }
    let folding = try folded(key, before: event.position)
    if let stuck = folding.stuck {
      try mark(stuck)
      return nil
    }
    return folding.caseState
  }

  /// The state of a purchase that may have no case; then its stream is read now. nil where it cannot be folded.
  func caseOrStream(_ key: PurchaseKey) throws(ProjectionError) -> CaseState? {
    if try store.isStuck(StreamName(key.stream)) { return nil }
    if let known = try store.caseState(key) { return known }
    let folding = try folded(key, before: Position(.max))
    return folding.stuck == nil ? folding.caseState : nil
  }

  private func folded(_ key: PurchaseKey, before end: Position) throws(ProjectionError) -> StreamFolding {
    var folding = StreamFolding(StreamName(key.stream))
    do throws(LogReadError) {
      try log.read(streams: [folding.stream], through: Position(end.value - 1), passingOver: nil) { folding.take($0) }
    } catch { throw .log(error) }
    return folding
  }
}

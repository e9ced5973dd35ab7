import Contracts
import EventLog

/// One stream folded from its first event on: what the projection holds of it then. A state depends on its own stream
/// alone, so that streams may be folded in any order and give what following the log gives.
struct StreamFolding {
  let stream: StreamName
  private(set) var stuck: StuckMark?
  /// Events of a type, or of a version of one, that this release does not know.
  private(set) var unknown = 0
  private var state: State

  enum State {
    /// A purchase has a case from the event on that makes it one.
    case purchase(CaseState, isCase: Bool)
    case customer(String, CustomerState)
    case app(String, AppState, [Rescission])
    case log(SendingState)
    case other
  }

  init(_ stream: StreamName) {
    self.stream = stream
    state =
      switch ProjectedStream(stream) {
      case .purchase(let key): .purchase(CaseState(key), isCase: false)
      case .customer(let id): .customer(id, CustomerState())
      case .app(let id): .app(id, AppState(), [])
      case .log: .log(SendingState())
      case .other: .other
      }
  }

  /// Takes the next event of the stream. After one that cannot be folded nothing is taken any more.
  mutating func take(_ event: RecordedEvent) {
    if stuck != nil { return }
    if !EventType.isKnown(event) { unknown += 1 }
    do throws(ContractError) {
      switch state {
      case .purchase(var folded, let isCase):
        // Let go, so that it is changed in place.
        state = .other
        do throws(ContractError) { try folded.fold(event) } catch { stuck = StuckMark(event, error: error) }
        state = .purchase(folded, isCase: isCase || stuck == nil && CaseState.opensCase(kind: event.kind))
      case .customer(let id, let before):
        var folded = before
        try folded.fold(event)
        state = .customer(id, folded)
      case .app(let id, var folded, var rescissions):
        // Let go, so that both are changed in place.
        let before = folded
        state = .other
        do throws(ContractError) {
          try folded.fold(event)
          if let rescission = try Rescission(event) { rescissions.append(rescission) }
        } catch {
          folded = before
          stuck = StuckMark(event, error: error)
        }
        state = .app(id, folded, rescissions)
      case .log(var folded):
        folded.fold(event)
        state = .log(folded)
      case .other: break
      }
    } catch {
      stuck = StuckMark(event, error: error)
    }
  }

  /// What was passed over in an app's stream counts as folded.
  /// - Parameter version: of the stream's newest event that was there to be taken.
  mutating func passed(through version: Int64) {
    guard case .app(let id, var folded, let rescissions) = state else { return }
    folded.version = stuck.map { $0.version - 1 } ?? version
    state = .app(id, folded, rescissions)
  }

  /// What is kept of the stream; nil where that is nothing but, maybe, the mark.
  var result: State? {
    switch state {
    case .purchase(_, let isCase): isCase ? state : nil
    case .customer(_, let folded): folded.version > 0 ? state : nil
    case .app(_, let folded, _): folded.version > 0 ? state : nil
    case .log(let folded): folded.version > 0 ? state : nil
    case .other: nil
    }
  }

  /// The case as far as it could be folded, whether or not the purchase has one.
  var caseState: CaseState? { if case .purchase(let folded, _) = state { folded } else { nil } }
}

extension EventType {
  /// Whether this release reads an event's data; others pass it untouched.
  static func isKnown(_ event: RecordedEvent) -> Bool {
    guard let type = EventType(rawValue: event.type) else { return false }
    return (1...type.schema).contains(event.schema)
  }
}

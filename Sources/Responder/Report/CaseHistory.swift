import Contracts
import EventLog

/// What the log tells of a case beyond the projection: what attempts said, why requests were withheld, and each event
/// in a line.
struct CaseHistory {
  private static let batch = 200

  private(set) var claims: [String: ConsumptionPrepared] = [:]
  private(set) var sent: [String: ConsumptionSent] = [:]
  private(set) var failed: [String: ConsumptionFailed] = [:]
  /// By refund request.
  private(set) var withheld: [String: ConsumptionWithheld] = [:]
  private(set) var timeline: [CasePage.Happening] = []
  private(set) var isCut = false

  /// - Parameter through: position that the case is told up to.
  init(of state: CaseState, through: Int64, in log: any EventLog) throws(CaseReaderError) {
    try read(state.stream, through, log)
    if let customer = state.customer { try read(StreamName(Streams.customer(customer)), through, log) }
    timeline.sort { $0.position < $1.position }
    cut(to: CasePage.timelineMax)
  }

  private mutating func read(_ stream: StreamName, _ through: Int64, _ log: any EventLog) throws(CaseReaderError) {
    var version: Int64 = 0
    while true {
      let events: [RecordedEvent]
      do throws(LogReadError) { events = try log.read(stream: stream, after: version, limit: Self.batch) } catch {
        throw .logUnreadable(error)
      }
      guard let last = events.last else { return }
      for event in events where event.position.value <= through { take(event) }
      version = last.version
      // The newest are kept; a stream may have any number of events.
      if timeline.count > 4 * CasePage.timelineMax { cut(to: 2 * CasePage.timelineMax) }
    }
  }

  private mutating func cut(to count: Int) {
    guard timeline.count > count else { return }
    timeline.removeFirst(timeline.count - count)
    isCut = true
  }

  private mutating func take(_ event: RecordedEvent) {
    timeline.append(
      .init(
        position: event.position.value, at: event.occurredAt, type: event.type, gist: EventGist.line(event)))
    guard let data = event.data, let type = EventType(rawValue: event.type) else { return }
    let schema = event.schema
    // What cannot be read is told as it stands in the timeline, and as stuck.
    switch type {
    case .consumptionPrepared: claims[event.id.text] = try? ConsumptionPrepared(data: data, schema: schema)
    case .consumptionSent: if let read = try? ConsumptionSent(data: data, schema: schema) { sent[read.claim] = read }
    case .consumptionFailed: if let read = try? ConsumptionFailed(data: data, schema: schema) { keep(read) }
    case .consumptionWithheld:
      if let read = try? ConsumptionWithheld(data: data, schema: schema) { withheld[read.request] = read }
    default: break
    }
  }

  /// A result that comes after `unknown` wins.
  private mutating func keep(_ result: ConsumptionFailed) {
    if let known = failed[result.claim], known.failure != .unknown { return }
    failed[result.claim] = result
  }
}

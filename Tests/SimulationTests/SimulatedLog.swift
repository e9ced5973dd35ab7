import Contracts
import EventLog
import Service

/// The log as one process sees it: others act between its calls, and it may crash before a call and after it.
final class SimulatedLog: EventLog {
  private let process: SimulatedProcess
  private let world: World
  private var base: any EventLog { world.log }

  init(_ process: SimulatedProcess, in world: World) {
    self.process = process
    self.world = world
  }

  var identity: LogIdentity { base.identity }

  func submit(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion],
    then: @escaping @Sendable (Result<AppendOutcome, AppendError>) -> Void
  ) {
    guard process.step() else { return then(.failure(.closed)) }
    let claim = events.first { $0.type == EventType.consumptionPrepared.rawValue }
    if let customer = claim?.customer { world.customers.mayWithdraw(customer) }
    let result: Result<AppendOutcome, AppendError>
    do throws(AppendError) { result = .success(try base.append(events, expecting: expecting)) } catch {
      result = .failure(error)
    }
    world.logHasGrown()
    if let customer = claim?.customer { world.customers.mayWithdraw(customer) }
    // It is in the log, and nobody may hear of it.
    guard process.step() else { return then(.failure(.closed)) }
    then(result)
  }

  /// Before each look the others may act.
  private func look<Value>(_ body: () throws(LogReadError) -> Value) throws(LogReadError) -> Value {
    guard world.scheduler.isOne(in: 3) ? process.step() : process.isAlive else {
      throw .unreadable("the process has crashed")
    }
    return try body()
  }

  func head() throws(LogReadError) -> Bookmark { try look { () throws(LogReadError) in try base.head() } }

  func read(after position: Position, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try look { () throws(LogReadError) in try base.read(after: position, limit: limit) }
  }

  func read(after bookmark: Bookmark, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try look { () throws(LogReadError) in try base.read(after: bookmark, limit: limit) }
  }

  func read(stream: StreamName, after version: Int64, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try look { () throws(LogReadError) in try base.read(stream: stream, after: version, limit: limit) }
  }

  func streams(
    ofKinds kinds: [String], after start: Position, through end: Position
  ) throws(LogReadError) -> [StreamName] {
    try look { () throws(LogReadError) in try base.streams(ofKinds: kinds, after: start, through: end) }
  }

  func streams(named prefix: String, after last: StreamName?, limit: Int) throws(LogReadError) -> [StreamName] {
    try look { () throws(LogReadError) in try base.streams(named: prefix, after: last, limit: limit) }
  }

  func read(
    streams: [StreamName], through end: Position, passingOver type: String?, butOfKinds kinds: [String],
    _ body: (RecordedEvent) -> Void
  ) throws(LogReadError) {
    try look { () throws(LogReadError) in
      try base.read(streams: streams, through: end, passingOver: type, butOfKinds: kinds, body)
    }
  }

  func version(of stream: StreamName, through end: Position) throws(LogReadError) -> Int64 {
    try look { () throws(LogReadError) in try base.version(of: stream, through: end) }
  }

  func read(id: EventID) throws(LogReadError) -> RecordedEvent? {
    try look { () throws(LogReadError) in try base.read(id: id) }
  }

  func header(digest: [UInt8]) throws(LogReadError) -> [UInt8]? { try base.header(digest: digest) }

  func keyedDigest(_ fields: [[UInt8]]) -> String { base.keyedDigest(fields) }

  func erase(_ ids: [EventID]) throws(AppendError) -> [Position] { try base.erase(ids) }

  func wakeups() -> any LogWakeups { Wakeups(process: process, world: world) }

  /// `@unchecked Sendable`: one thread at a time has the turn.
  private final class Wakeups: LogWakeups, @unchecked Sendable {
    private let process: SimulatedProcess
    private let world: World
    private var heard = 0
    private var isWoken = false
    /// Waits of a second, one after the other, that nothing ended.
    private var looks = 0

    init(process: SimulatedProcess, world: World) {
      self.process = process
      self.world = world
    }

    func wait(milliseconds: Int) {
      guard process.isAlive else { return }
      let scheduler = world.scheduler
      // News that came since the last time is told at once.
      let isBehind = isWoken || heard != world.appends
      looks = milliseconds == 1_000 && !isBehind ? looks + 1 : 0
      // Who looks each second looks when something happens: an hour in which nothing does is one step here. A second may be
      // the pace of calls, too.
      let (end, isNever) = scheduler.now.addingReportingOverflow(Int64(milliseconds))
      scheduler.pause(
        until: isBehind ? scheduler.now + scheduler.draw(0...20) : isNever ? .max : end,
        isPoll: looks > 3, hearsNews: true)
      heard = world.appends
      isWoken = false
    }

    func wake() {
      isWoken = true
      world.scheduler.wake(process)
    }
  }
}

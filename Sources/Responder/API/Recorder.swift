import Contracts
import EventLog
import Service

/// Brings what a caller states into the log: once per Idempotency-Key, and not at all where it says nothing new.
struct Recorder: Sendable {
  private static let triesMax = 4

  let log: any EventLog
  let clock: WallClock
  let logger: Logger

  /// What became of a statement.
  struct Receipt: Equatable, Sendable {
    /// Id and position of the event that holds it.
    var id: String
    var position: Int64
    /// false where an event said the same already.
    var isNew: Bool
  }

  /// One statement on its way.
  struct Statement: Sendable {
    var prefix: EventIDs.Prefix
    var stream: StreamName
    var app: String
    var environment: String?
    var customer: String?
    /// Id of the refund request that it is about.
    var correlation: String?
    /// When its author stated it.
    var statedAt: Int64
    var type: EventType
    var data: [UInt8]
    /// Said again it is new, also where the newest of its kind is equal.
    var isNewEachTime = false
    /// Version of the stream that the statement was checked against; nil where nothing rests on one.
    var checkedAt: Int64?
  }

  /// Blocks until it is on disk.
  /// - Parameters:
  ///   - key: the caller's Idempotency-Key; nil compares with the newest statement of the kind instead.
  ///   - scope: who the caller is; keys of two callers never meet.
  func record(_ statement: Statement, key: String?, scope: String) throws(Problem) -> Receipt {
    let receipt = try store(statement, key: key, scope: scope)
    logger.info(
      "statement taken",
      ["event.id": .text(receipt.id), "event.type": .text(statement.type.rawValue), "new": .bool(receipt.isNew)])
    return receipt
  }

  private func store(_ statement: Statement, key: String?, scope: String) throws(Problem) -> Receipt {
    if let key { return try recordOnce(statement, key: key, scope: scope) }
    for _ in 0..<Self.triesMax {
      let (version, newest) = try newest(statement)
      if !statement.isNewEachTime, let newest, newest.data == statement.data {
        return Receipt(id: newest.id.text, position: newest.position.value, isNew: false)
      }
      if let checked = statement.checkedAt, checked != version { throw Problem(.changedMeanwhile) }
      let id = EventIDs.next(statement.prefix, stream: statement.stream.text, version: version + 1)
      let outcome = try append(statement, id, expecting: [statement.stream: .exactly(version)])
      if case .recorded(let recordings) = outcome, case .appended(let position) = recordings[0] {
        return Receipt(id: id, position: position.value, isNew: true)
      }
    }
    throw Problem(.changedMeanwhile)
  }

  /// Whether a call with that key was taken before: it is a retry then, whatever became of the case since. Blocks.
  func knows(_ key: String, _ prefix: EventIDs.Prefix, app: String, scope: String) throws(Problem) -> Bool {
    let id = try id(prefix, app: app, key: key, scope: scope)
    do throws(LogReadError) { return try log.read(id: EventID(id)) != nil } catch {
      logger.error("the log cannot be read", ["reason": "\(error)"])
      throw Problem(.unavailable)
    }
  }

  private func recordOnce(_ statement: Statement, key: String, scope: String) throws(Problem) -> Receipt {
    let id = try id(statement.prefix, app: statement.app, key: key, scope: scope)
    // Ids are looked at before versions, so a retry is never a conflict.
    let expecting = statement.checkedAt.map { [statement.stream: ExpectedVersion.exactly($0)] } ?? [:]
    guard case .recorded(let recordings) = try append(statement, id, expecting: expecting) else {
      throw Problem(.changedMeanwhile)
    }
    switch recordings[0] {
    case .appended(let position): return Receipt(id: id, position: position.value, isNew: true)
    case .duplicate(let first, same: true): return Receipt(id: id, position: first.value, isNew: false)
    case .duplicate(_, same: false): throw Problem(.idempotencyKeyReused)
    }
  }

  private func id(
    _ prefix: EventIDs.Prefix, app: String, key: String, scope: String
  ) throws(Problem) -> String {
    guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Problem(.idempotencyKeyInvalid)
    }
    return EventIDs.keyed(prefix, bundleID: app, hex: log.keyedDigest([Array(scope.utf8), Array(key.utf8)]))
  }

  /// The stream's version and its newest event of the statement's type.
  private func newest(_ statement: Statement) throws(Problem) -> (version: Int64, newest: RecordedEvent?) {
    var version: Int64 = 0
    var newest: RecordedEvent?
    while true {
      let events: [RecordedEvent]
      do throws(LogReadError) { events = try log.read(stream: statement.stream, after: version, limit: 200) } catch {
        throw unavailable("\(error)", statement)
      }
      guard let last = events.last else { return (version, newest) }
      newest = events.last { $0.type == statement.type.rawValue } ?? newest
      version = last.version
    }
  }

  private func append(
    _ statement: Statement, _ id: String, expecting: [StreamName: ExpectedVersion]
  ) throws(Problem) -> AppendOutcome {
    let draft = EventDraft(
      id: EventID(id), stream: statement.stream, type: statement.type.rawValue, schema: statement.type.schema,
      environment: statement.environment, app: statement.app, customer: statement.customer,
      occurredAt: statement.statedAt, correlation: statement.correlation.map(EventID.init), data: statement.data)
    do throws(AppendError) { return try log.append([draft], expecting: expecting) } catch {
      throw unavailable("\(error)", statement)
    }
  }

  private func unavailable(_ reason: String, _ statement: Statement) -> Problem {
    logger.error("statement not stored", ["event.type": .text(statement.type.rawValue), "reason": .text(reason)])
    return Problem(.unavailable)
  }
}

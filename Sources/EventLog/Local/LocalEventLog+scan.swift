import Cryptography
import SQLite

extension LocalEventLog {
  public func streams(
    ofKinds kinds: [String], after start: Position, through end: Position
  ) throws(LogReadError) -> [StreamName] {
    let (condition, values) = Self.isOf(kinds)
    return try bulk { connection throws(SQLiteError) in
      // The columns before `data`: where an event is larger than a page, its overflow is not read.
      try connection.sqlite.rows(
        "SELECT stream FROM events WHERE position > ? AND position <= ? AND \(condition)",
        [.integer(start.value), .integer(end.value)] + values
      ) { StreamName($0.text(0)) }
    }
  }

  public func streams(named prefix: String, after last: StreamName?, limit: Int) throws(LogReadError) -> [StreamName] {
    try bulk { connection throws(SQLiteError) in
      // From one name to the next through the index, whatever number of events each has.
      var found: [StreamName] = []
      var place = last?.text
      while found.count < limit {
        let next = try connection.sqlite.row(
          "SELECT stream FROM events WHERE stream \(place == nil ? ">=" : ">") ? ORDER BY stream LIMIT 1",
          [.text(place ?? prefix)]
        ) { $0.text(0) }
        guard let next, next.utf8.starts(with: prefix.utf8) else { break }
        found.append(StreamName(next))
        place = next
      }
      return found
    }
  }

  public func read(
    streams: [StreamName], through end: Position, passingOver type: String?, butOfKinds kinds: [String],
    _ body: (RecordedEvent) -> Void
  ) throws(LogReadError) {
    let scan = StreamScan(passingOver: type, butOfKinds: Self.isOf(kinds))
    let damage = try bulk { connection throws(SQLiteError) -> LogReadError? in
      for stream in streams {
        if let damage = try scan.read(stream, through: end, connection, body) { return damage }
      }
      return nil
    }
    if let damage { throw damage }
  }

  public func version(of stream: StreamName, through end: Position) throws(LogReadError) -> Int64 {
    try bulk { connection throws(SQLiteError) in
      try connection.sqlite.row(
        "SELECT version FROM events WHERE stream = ? AND position <= ? ORDER BY version DESC LIMIT 1",
        [.text(stream.text), .integer(end.value)]
      ) { $0.integer(0) } ?? 0
    }
  }

  /// Whether an event's kind is one of these, as SQL.
  private static func isOf(_ kinds: [String]) -> (condition: String, values: [SQLiteValue]) {
    // A zero follows the slash: what lies between is the kind itself with something after it.
    let conditions = kinds.map { _ in "kind = ? OR (kind > ? AND kind < ?)" } + (kinds.isEmpty ? ["FALSE"] : [])
    return (
      "(\(conditions.joined(separator: " OR ")))",
      kinds.flatMap { [SQLiteValue.text($0), .text("\($0)/"), .text("\($0)0")] }
    )
  }

  /// One read transaction on a connection that keeps the inner pages of the log's trees at hand. No memory map: a page
  /// that cannot be read would end the process there instead of failing the statement.
  private func bulk<Answer>(
    _ body: (LogConnection) throws(SQLiteError) -> Answer
  ) throws(LogReadError) -> Answer {
    try readers.read { connection, _ throws(SQLiteError) in
      try connection.sqlite.execute("PRAGMA cache_size=-12000")
      return .success(try body(connection))
    }
  }
}

/// Reads streams event by event, each proved by its digest and by the chain of the event before it in the log: what a
/// projection is made of is acted on.
private final class StreamScan {
  private let type: String?
  private let kinds: (condition: String, values: [SQLiteValue])
  private var hash = RowHash()

  init(passingOver type: String?, butOfKinds kinds: (condition: String, values: [SQLiteValue])) {
    self.type = type
    self.kinds = kinds
  }

  /// - Returns: what is wrong with the first event that is not what was written; nothing of it, and nothing after it, is
  ///   handed over.
  func read(
    _ stream: StreamName, through end: Position, _ connection: LogConnection, _ body: (RecordedEvent) -> Void
  ) throws(SQLiteError) -> LogReadError? {
    var damage: LogReadError?
    var version: Int64 = 0
    // The chain of the event before it in the log, too: one statement costs less than two.
    try connection.sqlite.forEachRow(
      """
      SELECT \(LogSchema.columns), (SELECT chain FROM events AS previous WHERE previous.position = events.position - 1)
      FROM events WHERE stream = ? AND position <= ? AND (type IS NOT ? OR \(kinds.condition)) ORDER BY version
      """, [.text(stream.text), .integer(end.value), .text(type)] + kinds.values, failure: { $0 }
    ) { row throws(SQLiteError) in
      let position = Position(row.integer(0))
      // Of a stream that is read as a whole none may be missing between two.
      let isNext = type != nil || row.integer(3) == version + 1
      version = row.integer(3)
      guard isNext, isWhole(row, position, connection) else {
        damage = .altered(position)
        return false
      }
      body(LogConnection.told(row, of: stream))
      return true
    }
    return damage
  }

  private func isWhole(_ row: borrowing SQLiteRow, _ position: Position, _ connection: LogConnection) -> Bool {
    let before =
      position.value == 1
      ? SHA256Digest(bytes: connection.identity.genesis)
      : row.withBytes(20) { $0.flatMap { SHA256Digest(bytes: $0) } }
    guard let before, position > .start, hash.objection(toDataOf: row) == nil else { return false }
    return hash.chain(of: row, after: before).isStored(in: row, 19)
  }
}

extension LogConnection {
  /// What a row of `LogSchema.columns` tells, without what proves it.
  fileprivate static func told(_ row: borrowing SQLiteRow, of stream: StreamName) -> RecordedEvent {
    RecordedEvent(
      position: Position(row.integer(0)), id: EventID(row.text(1)), stream: stream, version: row.integer(3),
      type: row.text(4), schema: row.integer(5), kind: row.optionalText(6), environment: row.optionalText(7),
      app: row.optionalText(8), customer: row.optionalText(9), occurredAt: row.integer(10),
      signedAt: row.optionalInteger(11), recordedAt: row.integer(12),
      causation: row.optionalText(13).map(EventID.init), correlation: row.optionalText(14).map(EventID.init),
      data: row.optionalBytes(15), seams: nil, salt: nil, digest: [], chain: [])
  }
}

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
    let (isOfKinds, values) = Self.isOf(kinds)
    try bulk { connection throws(SQLiteError) in
      for stream in streams {
        try connection.sqlite.forEachRow(
          """
          SELECT \(LogConnection.toldColumns) FROM events
          WHERE stream = ? AND position <= ? AND (type IS NOT ? OR \(isOfKinds)) ORDER BY version
          """, [.text(stream.text), .integer(end.value), .text(type)] + values, failure: { $0 }
        ) { row throws(SQLiteError) in
          body(LogConnection.told(row, of: stream))
          return true
        }
      }
    }
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

extension LogConnection {
  /// The columns that tell what happened, without those that prove it.
  static let toldColumns = """
    position, id, version, type, schema, kind, environment, app, customer, occurred_at, signed_at, recorded_at, \
    causation, correlation, data
    """

  static func told(_ row: borrowing SQLiteRow, of stream: StreamName) -> RecordedEvent {
    RecordedEvent(
      position: Position(row.integer(0)), id: EventID(row.text(1)), stream: stream, version: row.integer(2),
      type: row.text(3), schema: row.integer(4), kind: row.optionalText(5), environment: row.optionalText(6),
      app: row.optionalText(7), customer: row.optionalText(8), occurredAt: row.integer(9),
      signedAt: row.optionalInteger(10), recordedAt: row.integer(11),
      causation: row.optionalText(12).map(EventID.init), correlation: row.optionalText(13).map(EventID.init),
      data: row.optionalBytes(14), seams: nil, salt: nil, digest: [], chain: [])
  }
}

import JSON
import SQLite

/// Gives a log away, event by event in one read transaction: whoever writes meanwhile goes on, and the copy is of one
/// instant. Memory does not grow with the log; the write-ahead log does while it takes.
public struct LogExport {
  private let connection: LogConnection

  /// Of the log that is given away.
  public var identity: LogIdentity { connection.identity }

  /// Opens the log of a folder.
  /// - Throws: also where the bell remembers more than the log holds: half a log is not given away as one.
  public init(folder: String) throws(TransferError) {
    do throws(LogOpenError) { connection = try LogConnection.whole(LogFiles(folder: folder)) } catch {
      throw .log(error)
    }
  }

  /// Position of the newest event at the moment.
  public func head() throws(TransferError) -> Position {
    try TransferError.sqlite { () throws(SQLiteError) in try connection.head().position }
  }

  /// Events after a position, oldest first.
  /// - Parameters:
  ///   - types: names of events; nil for all.
  ///   - stream: one stream's only.
  /// - Returns: how many.
  public func events(
    after position: Position = .start, types: Set<String>? = nil, stream: StreamName? = nil,
    _ take: (RecordedEvent) throws(TransferError) -> Void
  ) throws(TransferError) -> Int64 {
    var condition = "position > ?"
    var values: [SQLiteValue] = [.integer(position.value)]
    if let stream {
      condition += " AND stream = ?"
      values.append(.text(stream.text))
    }
    if let types {
      condition += " AND type IN (\(types.map { _ in "?" }.joined(separator: ", ")))"
      values += types.sorted().map { .text($0) }
    }
    return try inOneTransaction { () throws(TransferError) in
      var count: Int64 = 0
      try connection.sqlite.forEachRow(
        "SELECT \(LogSchema.columns) FROM events WHERE \(condition) ORDER BY position", values,
        failure: { TransferError($0) }
      ) { row throws(TransferError) in
        try take(LogConnection.event(row))
        count += 1
        return true
      }
      return count
    }
  }

  /// The whole log, bit for bit, in lines of JSON: contracts/README.md, «A lossless copy». It holds the log's secret.
  /// - Parameter take: given one line at a time, with its line feed.
  public func lossless(_ take: ([UInt8]) throws(TransferError) -> Void) throws(TransferError) -> LosslessEnd {
    try inOneTransaction { () throws(TransferError) in
      var end = LosslessEnd(events: 0, headers: 0, head: .start, chain: identity.genesis)
      try take(LosslessLine.log(identity).encoded())
      try connection.sqlite.forEachRow(
        "SELECT id, bytes FROM headers ORDER BY id", failure: { TransferError($0) }
      ) { row throws(TransferError) in
        try take(LosslessLine.header(number: row.integer(0), row.bytes(1)).encoded())
        end.headers += 1
        return true
      }
      try connection.sqlite.forEachRow(
        "SELECT \(LogSchema.columns) FROM events ORDER BY position", failure: { TransferError($0) }
      ) { row throws(TransferError) in
        let event = LogConnection.event(row)
        try take(LosslessLine.event(event).encoded())
        end.events += 1
        end.head = event.position
        end.chain = event.chain
        return true
      }
      try take(LosslessLine.end(end).encoded())
      return end
    }
  }

  private func inOneTransaction<Result>(
    _ body: () throws(TransferError) -> Result
  ) throws(TransferError) -> Result {
    try connection.sqlite.transaction(immediate: false, failure: { TransferError($0) }, body)
  }
}

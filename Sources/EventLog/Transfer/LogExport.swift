import Cryptography
import JSON
import SQLite

/// Gives a log away, event by event in one read transaction: whoever writes meanwhile goes on, and the copy is of one
/// instant. Memory does not grow with the log; the write-ahead log does while it takes.
///
/// Each event is proved before it is given away: what the disk altered would be believed elsewhere.
public struct LogExport {
  private let connection: LogConnection
  private let path: String

  /// Of the log that is given away.
  public var identity: LogIdentity { connection.identity }

  /// Opens the log of a folder.
  /// - Throws: also where the bell remembers more than the log holds: half a log is not given away as one.
  public init(folder: String) throws(TransferError) {
    let files = LogFiles(folder: folder)
    path = files.events
    do throws(LogOpenError) { connection = try LogConnection.whole(files) } catch {
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
      // Of the event given last: the next one stands on it, but where a filter leaves some out.
      var last: LogPlace?
      try connection.sqlite.forEachRow(
        "SELECT \(LogSchema.columns) FROM events WHERE \(condition) ORDER BY position", values,
        failure: { TransferError($0) }
      ) { row throws(TransferError) in
        let event = LogConnection.event(row)
        let isWhole =
          if let last, last.position.next == event.position {
            event.isWhole(after: last.chain)
          } else {
            try TransferError.sqlite { () throws(SQLiteError) in try connection.isWhole(event) }
          }
        let isGap = types == nil && stream == nil && event.position != (last?.position ?? position).next
        guard isWhole, !isGap else { throw altered((last?.position ?? position).next) }
        try take(event)
        last = LogPlace(position: event.position, chain: event.chain)
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
        "SELECT id, bytes, digest FROM headers ORDER BY id", failure: { TransferError($0) }
      ) { row throws(TransferError) in
        guard SHA256.digest(of: row.bytes(1)).bytes == row.bytes(2) else {
          throw .log(.damaged(path: path, .malformed("a header of signed tokens was altered")))
        }
        try take(LosslessLine.header(number: row.integer(0), row.bytes(1)).encoded())
        end.headers += 1
        return true
      }
      try connection.sqlite.forEachRow(
        "SELECT \(LogSchema.columns) FROM events ORDER BY position", failure: { TransferError($0) }
      ) { row throws(TransferError) in
        let event = LogConnection.event(row)
        guard event.position == end.head.next, event.isWhole(after: end.chain) else { throw altered(end.head.next) }
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

  private func altered(_ position: Position) -> TransferError {
    .log(.damaged(path: path, .altered(position)))
  }

  private func inOneTransaction<Result>(
    _ body: () throws(TransferError) -> Result
  ) throws(TransferError) -> Result {
    try connection.sqlite.transaction(immediate: false, failure: { TransferError($0) }, body)
  }
}

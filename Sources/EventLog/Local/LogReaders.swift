import SQLite
import Service

/// Connections for reading, lent to one thread at a time and kept for the next.
final class LogReaders: Sendable {
  private static let idleMax = 4

  private let files: LogFiles
  private let expected: LogIdentity.ID
  private let idle = Monitor<[Lent]>([])

  init(_ files: LogFiles, expected: LogIdentity.ID) {
    self.files = files
    self.expected = expected
  }

  /// Runs `body` in one read transaction, so that all it asks is answered from one state of the log.
  func read<Answer>(
    _ body: (LogConnection) throws(SQLiteError) -> Result<Answer, LogReadError>
  ) throws(LogReadError) -> Answer {
    let connection = try borrow()
    let answer: Result<Answer, LogReadError>
    do throws(SQLiteError) {
      answer = try connection.sqlite.transaction(immediate: false, failure: { $0 }) { () throws(SQLiteError) in
        try body(connection)
      }
    } catch {
      throw .unreadable("\(error)")
    }
    giveBack(connection)
    return try answer.get()
  }

  private func borrow() throws(LogReadError) -> LogConnection {
    while let lent = idle.withLock({ $0.popLast() }) {
      if lent.connection.isCurrent(files) { return lent.connection }
    }
    let connection: LogConnection
    do throws(LogOpenError) {
      connection = try LogConnection(files, mode: .readOnly)
    } catch { throw .unreadable("\(error)") }
    guard connection.identity.id == expected else {
      throw .replaced(expected: expected, found: connection.identity.id)
    }
    return connection
  }

  private func giveBack(_ connection: LogConnection) {
    idle.withLock { if $0.count < Self.idleMax { $0.append(Lent(connection: connection)) } }
  }

  /// `@unchecked Sendable`: a connection is either in the list, where nobody uses it, or with one thread.
  private struct Lent: @unchecked Sendable { let connection: LogConnection }
}

import SQLite
import Service

/// Connections for reading, lent to one thread at a time and kept for the next.
final class LogReaders: Sendable {
  private static let idleMax = 4

  private let files: LogFiles
  private let expected: LogIdentity.ID
  private let memory: LogMemory
  private let idle = Monitor<[Lent]>([])

  init(_ files: LogFiles, expected: LogIdentity.ID, memory: LogMemory) {
    self.files = files
    self.expected = expected
    self.memory = memory
  }

  /// Runs `body` in one read transaction, so that all it asks is answered from one state of the log: one that holds
  /// what this process has seen before.
  /// - Parameter body: gets the newest event of that state too.
  func read<Answer>(
    _ body: (LogConnection, _ head: LogPlace) throws(SQLiteError) -> Result<Answer, LogReadError>
  ) throws(LogReadError) -> Answer {
    let seen = memory.bookmark
    let connection = try borrow()
    let answer: Result<Answer, LogReadError>
    do throws(SQLiteError) {
      answer = try connection.sqlite.transaction(immediate: false, failure: { $0 }) { () throws(SQLiteError) in
        let head = try connection.head()
        if let objection = try memory.objection(seen: seen, head: head, in: connection) { return .failure(objection) }
        return try body(connection, head)
      }
    } catch { throw LogReadError(error, files) }
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
    } catch {
      if case .damaged(_, let damage) = error { throw damage }
      throw .unreadable("\(error)")
    }
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

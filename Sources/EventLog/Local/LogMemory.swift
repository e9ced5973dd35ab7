import SQLite
import Service

/// The newest place of a log that this process has seen, shared by its writer and its readers.
///
/// What was seen once must be found again: a file put in place of ours by a copy of an earlier day, or a
/// write-ahead log whose end is gone, looks whole in itself. SQLite notices neither.
final class LogMemory: Sendable {
  private let newest: Monitor<Bookmark>

  init(_ newest: Bookmark) { self.newest = Monitor(newest) }

  /// To be asked for before a transaction begins, which then must hold at least this.
  var bookmark: Bookmark { newest.withLock { $0 } }

  /// Compares with what the log holds now, and remembers its head where that is newer.
  /// - Parameters:
  ///   - seen: `bookmark` of before the transaction.
  ///   - head: the newest event in the transaction. Mostly it is what was seen, and nothing more is asked.
  /// - Returns: what is wrong. A restore is not: every reader's own bookmark tells it.
  func objection(
    seen: Bookmark, head: LogPlace, in connection: LogConnection
  ) throws(SQLiteError) -> LogReadError? {
    if seen.position == head.position, seen.chain == head.chain { return nil }
    switch try connection.objection(to: seen) {
    case nil, .restored: break
    case let objection?: return objection
    }
    note(try connection.bookmark(at: head))
    return nil
  }

  /// Remembers what was appended to the head that was checked last.
  /// - Parameter restored: position of a LogRestored among it.
  func note(appended head: LogPlace, restored: Position?) {
    let before = bookmark
    note(
      Bookmark(log: before.log, position: head.position, chain: head.chain, restored: restored ?? before.restored))
  }

  /// A place further on, or behind a restore.
  private func note(_ place: Bookmark) {
    newest.withLock { newest in
      if place.position > newest.position || place.restored > newest.restored { newest = place }
    }
  }
}

import EventLog
import Glibc
import JSON
import SQLite

/// A log as it is often built: a sequence hands out the number, the row is committed after that, and readers ask for
/// what is greater than the greatest they have seen. Two writers may commit in the other order than they got their
/// numbers, and then the smaller one is never read. It is here so that the test of order can be seen to find that.
final class NaiveLog: SharedLog {
  private let folder: String

  init(folder: String) throws {
    self.folder = folder
    try Self.connection(folder).execute(
      "CREATE TABLE IF NOT EXISTS events (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL)")
  }

  func writer() throws -> any SharedLogWriter { try Writer(folder) }
  func follower() throws -> any SharedLogFollower { try Follower(folder) }
  func figures() -> JSONObject { [:] }
  func close() {}

  private static func connection(_ folder: String) throws -> SQLiteConnection {
    let sqlite = try SQLiteConnection(path: folder + "/naive.sqlite", mode: .create, busyMilliseconds: 20_000)
    try sqlite.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF")
    return sqlite
  }

  private struct Writer: SharedLogWriter {
    private let sqlite: SQLiteConnection
    private let sequence: Int32

    init(_ folder: String) throws {
      sqlite = try NaiveLog.connection(folder)
      sequence = open(folder + "/naive.sequence", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard sequence >= 0 else { throw LoadError("\(folder)/naive.sequence cannot be opened") }
    }

    func append(_ events: [EventDraft], expecting: [StreamName: ExpectedVersion]) throws -> AppendOutcome {
      .recorded(
        try events.map { draft in
          let position = nextNumber()
          try sqlite.run(
            "INSERT INTO events VALUES (?, ?, ?)",
            [.integer(position), .text(draft.id.text), .integer(draft.occurredAt)])
          return .appended(Position(position))
        })
    }

    /// Never given twice, never given back.
    private func nextNumber() -> Int64 {
      flock(sequence, LOCK_EX)
      defer { flock(sequence, LOCK_UN) }
      var last: Int64 = 0
      pread(sequence, &last, 8, 0)
      last += 1
      pwrite(sequence, &last, 8, 0)
      return last
    }
  }

  private final class Follower: SharedLogFollower {
    private let sqlite: SQLiteConnection
    private var last: Int64 = 0

    init(_ folder: String) throws { sqlite = try NaiveLog.connection(folder) }

    func next() throws -> [(position: Int64, at: Int64)] {
      let rows = try sqlite.rows(
        "SELECT position, at FROM events WHERE position > ? ORDER BY position LIMIT 500", [.integer(last)]
      ) { (position: $0.integer(0), at: $0.integer(1)) }
      last = rows.last?.position ?? last
      return rows
    }

    func wait(milliseconds: Int) { usleep(1_000) }
  }
}

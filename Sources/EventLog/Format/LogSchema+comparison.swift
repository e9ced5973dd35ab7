import SQLite

/// Whether a file has the tables, guards and view that a log was made with: without its guards any shell may change what
/// stands in it, and nothing else would tell.
extension LogSchema {
  /// What SQLite keeps of one of them.
  private struct Part: Equatable {
    var kind: String
    /// The table it is about; of a table or view its own name.
    var table: String
    /// NULL for the indexes that SQLite makes by itself.
    var text: String?
  }

  /// By name.
  private typealias Parts = [String: Part]

  /// As SQLite writes it down when a log is made.
  private static let made = Result { () throws(SQLiteError) -> Parts in
    let sqlite = try SQLiteConnection(path: ":memory:", mode: .create)
    try sqlite.execute(create)
    return try parts(sqlite)
  }

  private static let ours: Set<String> = ["log", "headers", "events"]
  private static let partsMax: Int64 = 1_000

  /// nil where all is there as it was made, and nothing else.
  /// - Parameter isForWriting: tables, indexes and views that somebody added stand in no writer's way; triggers and
  ///   indexes on the log's own tables do, as they change or refuse what is appended.
  static func objection(to sqlite: SQLiteConnection, isForWriting: Bool = false) throws(SQLiteError) -> String? {
    let made = try made.get()
    let found = try parts(sqlite)
    for (name, part) in made.sorted(by: { $0.key < $1.key }) {
      guard let other = found[name] else { return "the \(part.kind) \(name) is missing" }
      if other != part { return "the \(part.kind) \(name) is not as it was made" }
    }
    for (name, part) in found.sorted(by: { $0.key < $1.key }) where made[name] == nil {
      if isForWriting, !ours.contains(part.table) { continue }
      return "it holds the \(part.kind) \(name), which no release makes (drop it where it is yours)"
    }
    return nil
  }

  private static func parts(_ sqlite: SQLiteConnection) throws(SQLiteError) -> Parts {
    let rows = try sqlite.rows(
      "SELECT name, type, tbl_name, sql FROM sqlite_schema LIMIT ?", [.integer(partsMax)]
    ) { ($0.text(0), Part(kind: $0.text(1), table: $0.text(2), text: $0.optionalText(3))) }
    // Of two with one name, which only damage makes, either is another one than was made.
    return Parts(rows) { first, _ in Part(kind: first.kind, table: first.table, text: "twice") }
  }
}

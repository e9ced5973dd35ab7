import SQLite
import Service

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

  enum Objection: Equatable {
    /// A part of the log is missing or another one.
    case altered(String)
    /// Somebody added what changes or refuses what is appended. The log is whole; a sentence says what to drop.
    case added(String)

    var description: String {
      switch self {
      case .altered(let what), .added(let what): what
      }
    }
  }

  /// As SQLite writes it down when a log is made. Kept once it could be had.
  private static let made = Monitor<Parts?>(nil)

  private static func madeParts() throws(SQLiteError) -> Parts {
    if let made = made.withLock({ $0 }) { return made }
    let sqlite = try SQLiteConnection(path: ":memory:", mode: .create)
    try sqlite.execute(create)
    let parts = try parts(sqlite)
    made.withLock { $0 = parts }
    return parts
  }

  private static let ours: Set<String> = ["log", "headers", "events"]
  private static let partsMax = 1_000

  /// nil where all is there as it was made. Tables, views and indexes of others stand in nobody's way, nor does what
  /// ANALYZE leaves; triggers and unique indexes on the log's own tables do.
  static func objection(to sqlite: SQLiteConnection) throws(SQLiteError) -> Objection? {
    let made = try madeParts()
    let found = try parts(sqlite)
    if found.count > partsMax { return .added("it holds more than \(partsMax) tables, views, indexes and triggers") }
    for (name, part) in made.sorted(by: { $0.key < $1.key }) {
      guard let other = found[name] else { return .altered("the \(part.kind) \(name) is missing") }
      if other != part { return .altered("the \(part.kind) \(name) is not as it was made") }
    }
    for (name, part) in found.sorted(by: { $0.key < $1.key }) where made[name] == nil && ours.contains(part.table) {
      guard part.kind == "trigger" || part.text?.uppercased().hasPrefix("CREATE UNIQUE") == true else { continue }
      return .added(
        "somebody added the \(part.kind) \(name) to the log's table \(part.table): drop it (DROP \(part.kind.uppercased()) \(name))"
      )
    }
    return nil
  }

  private static func parts(_ sqlite: SQLiteConnection) throws(SQLiteError) -> Parts {
    let rows = try sqlite.rows(
      "SELECT name, type, tbl_name, sql FROM sqlite_schema LIMIT ?", [.integer(Int64(partsMax) + 1)]
    ) { ($0.text(0), Part(kind: $0.text(1), table: $0.text(2), text: $0.optionalText(3))) }
    // Of two with one name, which only damage makes, either is another one than was made.
    return Parts(rows) { first, _ in Part(kind: first.kind, table: first.table, text: "twice") }
  }
}

import EventLog
import SQLite

@testable import Responder

/// What a projection says, row by row, whatever tables its version has.
enum ProjectionRows {
  /// Up to where the log was read; nil where the file is not there yet, or just being made.
  static func position(in folder: String) -> Position? {
    let sqlite = try? SQLiteConnection(path: path(folder), mode: .readOnly)
    let row = try? sqlite?.row("SELECT position FROM bookmark", []) { Position($0.integer(0)) }
    return row ?? nil
  }

  /// Cases in which something is left to do, now or later; a stuck one is left alone.
  static func openCases(in folder: String) throws -> Int64 {
    try SQLiteConnection(path: path(folder), mode: .readOnly).row(
      """
      SELECT count(*) FROM cases WHERE open = 1
        AND NOT EXISTS (SELECT 1 FROM stuck WHERE stream = 'purchase/' || environment || '/' || transaction_id)
      """, []
    ) { $0.integer(0) } ?? 0
  }

  private static func path(_ folder: String) -> String { ProjectionFiles(folder: folder).path }

  /// Every row of every table that tells of the log as text, table by table, in an order that the contents alone give.
  static func all(in folder: String) throws -> [String] {
    let sqlite = try SQLiteConnection(path: path(folder), mode: .readOnly)
    let tables = try sqlite.rows(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'build' ORDER BY name
      """, []
    ) { $0.text(0) }
    return try tables.flatMap { table in
      let columns = try sqlite.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { $0.text(0) }
      // Blobs in hex: two that differ are never shown alike.
      let shown = columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
      return try sqlite.rows("SELECT \(shown) FROM \(table) ORDER BY 1", []) { "\(table): \($0.text(0))" }
    }
  }
}

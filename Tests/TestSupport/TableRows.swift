import SQLite

/// What a SQLite file says, row by row, whatever tables it has.
public enum TableRows {
  /// Every row of every table as text, table by table, in an order that the contents alone give.
  /// - Parameter passedOver: a table that is left out.
  public static func all(of path: String, passingOver passedOver: String) throws -> [String] {
    let sqlite = try SQLiteConnection(path: path, mode: .readOnly)
    let tables = try sqlite.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> ? ORDER BY name",
      [.text(passedOver)]
    ) { $0.text(0) }
    return try tables.flatMap { table in
      let columns = try sqlite.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { $0.text(0) }
      // Blobs in hex: two that differ are never shown alike.
      let shown = columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
      return try sqlite.rows("SELECT \(shown) FROM \(table) ORDER BY 1", []) { "\(table): \($0.text(0))" }
    }
  }
}

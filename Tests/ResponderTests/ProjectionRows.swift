import EventLog
import SQLite
import TestSupport

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

  /// Every row of every table that tells of the log.
  static func all(in folder: String) throws -> [String] {
    try TableRows.all(of: path(folder), passingOver: "build")
  }
}

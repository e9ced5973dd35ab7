import EventLog
import Glibc
import JSON
import SQLite
import Service
import Testing

@testable import Operations

/// What the responder's projection says, read beside it.
struct Projected {
  struct Case: Equatable {
    var transactionID: String
    var outcome: String?
    var isOpen: Bool
    var due: Int64?
  }

  let data: String

  /// The projection's files, of whatever version its shape has.
  static func files(in data: String) -> [String] {
    guard let folder = opendir(data) else { return [] }
    defer { closedir(folder) }
    var found: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix("cases-v") { found.append("\(data)/\(name)") }
    }
    return found
  }

  /// Takes it away; only while no responder runs.
  static func remove(from data: String) { for file in files(in: data) { unlink(file) } }

  /// Every row of every table, as text, in an order of its own; the bookmark first.
  func rows() throws -> [String] {
    let sqlite = try sqlite()
    let tables = try sqlite.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'build' ORDER BY name", []
    ) { $0.text(0) }
    return try tables.flatMap { table in
      let columns = try sqlite.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { $0.text(0) }
      return try sqlite.rows("SELECT * FROM \(table) ORDER BY 1, 2", []) { row in
        let values = columns.indices.map { index in
          "\(columns[index]) \(row.optionalBytes(Int32(index)).map { String(decoding: $0, as: UTF8.self) } ?? "none")"
        }
        return "\(table): \(values.joined(separator: ", "))"
      }
    }
  }

  func cases() throws -> [Case] {
    try sqlite().rows("SELECT transaction_id, outcome, open, due FROM cases ORDER BY transaction_id", []) {
      Case(
        transactionID: $0.text(0), outcome: $0.optionalText(1), isOpen: $0.integer(2) == 1,
        due: $0.optionalInteger(3))
    }
  }

  func position() throws -> Position? {
    try sqlite().row("SELECT position FROM bookmark", []) { Position($0.integer(0)) }
  }

  /// Waits until the whole log is projected and nothing is left to do, and stays so for a moment; twenty seconds at
  /// most.
  /// - Parameter open: cases that may go on waiting.
  func waitUntilAtRest(_ log: LocalEventLog, open: Int = 0) throws {
    let deadline = MonotonicClock.milliseconds() + 20_000
    var atRestSince: Int64?
    while true {
      let now = MonotonicClock.milliseconds()
      let head = try log.head().position
      // No table, and no bookmark, before the responder has begun.
      let isAtRest = (try? position()) == head && (try? cases())?.count { $0.isOpen } == open
      atRestSince = isAtRest ? atRestSince ?? now : nil
      if let atRestSince, now - atRestSince > 300 { return }
      try #require(now < deadline, "the responder comes to rest within 20 s")
      usleep(20_000)
    }
  }

  private func sqlite() throws -> SQLiteConnection {
    // Absent before the responder has begun, which is looked for again and again: no issue by itself.
    // Not the makings that the link leads to.
    let links = Self.files(in: data).filter {
      $0.hasSuffix(".sqlite") && !$0.dropFirst("\(data)/cases-v".count).contains("-")
    }
    guard let path = links.first else {
      throw CommandError(.unavailable, "no projection in \(data)")
    }
    return try SQLiteConnection(path: path, mode: .readOnly)
  }
}

import Contracts
import SQLite

/// A query as SQL over the projection: due first, then the newest.
struct CaseSearch {
  private(set) var conditions: [String] = []
  private(set) var values: [SQLiteValue] = []

  private static let order = "coalesce(due, 9223372036854775807), -newest, environment, transaction_id"

  init(_ query: CaseQuery) {
    if let id = query.transactionID { add("transaction_id = ?", .text(id)) }
    if let id = query.originalTransactionID { add("(original_id = ? OR transaction_id = ?)", .text(id), .text(id)) }
    if let customer = query.customer { add("customer = ?", .text(customer)) }
    if let apps = query.apps {
      let marks = apps.map { _ in "?" }.joined(separator: ", ")
      add("app IN (\(marks))", apps.sorted().map { .text($0) })
    }
    if let environment = query.environment { add("environment = ?", .text(environment)) }
    if let outcome = query.outcome { add("outcome = ?", .text(outcome.rawValue)) }
    if let instant = query.dueBefore { add("due < ?", .integer(instant)) }
    if let phase = query.phase {
      // Which of the open ones wait is told by the judge.
      add("phase = ?", .text(phase == .waiting ? CasePhase.open.rawValue : phase.rawValue))
    }
  }

  /// The text and values for the rows after a place.
  func statement(after cursor: CaseCursor?, limit: Int) -> (sql: String, values: [SQLiteValue]) {
    var search = self
    if let cursor {
      search.add(
        "(\(Self.order)) > (?, ?, ?, ?)",
        [
          .integer(cursor.due), .integer(-cursor.newest), .text(cursor.key.environment),
          .text(cursor.key.transactionID),
        ])
    }
    let condition = search.conditions.isEmpty ? "" : " WHERE \(search.conditions.joined(separator: " AND "))"
    return (
      "SELECT state FROM cases\(condition) ORDER BY \(Self.order) LIMIT ?", search.values + [.integer(Int64(limit))]
    )
  }

  private mutating func add(_ condition: String, _ values: SQLiteValue...) { add(condition, values) }

  private mutating func add(_ condition: String, _ values: [SQLiteValue]) {
    conditions.append(condition)
    self.values += values
  }
}

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
    try SQLiteConnection(path: data + "/cases-v1.sqlite", mode: .readOnly)
  }
}

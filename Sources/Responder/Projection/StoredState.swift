import Contracts
import EventLog
import FoundationEssentials
import SQLite

/// A state as a row of the projection, ready to be written; made by whatever thread has the time.
struct StoredState: Sendable {
  enum Table: Sendable { case cases, customers, apps, rescissions, sending }
  let table: Table
  let values: [SQLiteValue]

  /// Makes rows; for one thread at a time.
  final class Maker {
    private let encoder = JSONEncoder()

    init() {
      // The same state is always the same text, so that two projections can be compared row by row.
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    func row(_ state: CaseState) -> StoredState {
      StoredState(
        table: .cases,
        values: [
          .text(state.environment), .text(state.transactionID), .text(state.app), .text(state.customer),
          .text(state.originalKey?.transactionID), .text(state.purchase?.productID),
          .text(state.outcome?.kind.rawValue), .integer(state.isOpen ? 1 : 0), .integer(state.due),
          .integer(state.watchedUntil), .text(state.phase.rawValue), .integer(state.newest), .utf8(state.text),
        ])
    }

    func row(_ state: CustomerState, of id: String) -> StoredState {
      StoredState(table: .customers, values: [.text(id), .utf8(text(state))])
    }

    func row(_ state: AppState, of id: String) -> StoredState {
      StoredState(table: .apps, values: [.text(id), .utf8(text(state))])
    }

    func row(_ state: SendingState) -> StoredState {
      StoredState(table: .sending, values: [.utf8(text(state))])
    }

    func row(_ rescission: Rescission, of app: String) -> StoredState {
      StoredState(
        table: .rescissions,
        values: [
          .text(app), .text(rescission.environment), .text(rescission.appTransactionID),
          .integer(rescission.signedAt), .text(rescission.event),
        ])
    }

    func rows(_ result: StreamFolding.State) -> [StoredState] {
      switch result {
      case .purchase(let state, _): [row(state)]
      case .customer(let id, let state): [row(state, of: id)]
      case .app(let id, let state, let rescissions): [row(state, of: id)] + rescissions.map { row($0, of: id) }
      case .log(let state): [row(state)]
      case .other: []
      }
    }

    // States are plain values of ours: they always encode.
    private func text(_ state: some Encodable) -> [UInt8] { Array(try! encoder.encode(state)) }
  }
}

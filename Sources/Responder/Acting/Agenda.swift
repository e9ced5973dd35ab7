import Contracts

/// Cases to look at again, each with the instant from which on, milliseconds since 1970, UTC.
struct Agenda: Sendable {
  private var instants: [PurchaseKey: Int64] = [:]
  /// Those that only wait for a free sender, with the instant at which their answer is due.
  private var waiting: [PurchaseKey: Int64] = [:]

  /// Puts cases on it; what stands there already is brought forward, never put off.
  mutating func add(_ keys: some Sequence<PurchaseKey>, at instant: Int64) {
    for key in keys {
      instants[key] = min(instant, instants[key] ?? .max)
      // What happened may have changed what it waits for.
      waiting[key] = nil
    }
  }

  /// What is to be looked at now. It stays on the agenda until `done` is said of it.
  /// - Parameter callers: how many of those that only wait for a free sender are among it, earliest due first.
  func due(at now: Int64, callers: Int) -> [PurchaseKey] {
    let found = instants.filter { $0.value <= now && waiting[$0.key] == nil }.map(\.key)
    if callers <= 0 || waiting.isEmpty { return found }
    let order = waiting.sorted { ($0.value, $0.key.transactionID) < ($1.value, $1.key.transactionID) }
    return found + order.prefix(callers).map(\.key)
  }

  /// Everything is there for a call, and no sender is free.
  mutating func waitForSender(_ key: PurchaseKey, due: Int64) { waiting[key] = due }

  /// - Parameter again: when to look again; nil where only an event of the case brings it back.
  mutating func done(_ key: PurchaseKey, again: Int64?) {
    instants[key] = again
    waiting[key] = nil
  }

  /// The earliest instant on it.
  var next: Int64? { instants.values.min() }
}

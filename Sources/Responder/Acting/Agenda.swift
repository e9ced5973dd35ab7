import Contracts

/// Cases to look at again, each with the instant from which on, milliseconds since 1970, UTC.
struct Agenda: Sendable {
  private var instants: [PurchaseKey: Int64] = [:]

  /// Puts cases on it; what stands there already is brought forward, never put off.
  mutating func add(_ keys: some Sequence<PurchaseKey>, at instant: Int64) {
    for key in keys { instants[key] = min(instant, instants[key] ?? .max) }
  }

  /// What is to be looked at now. It stays on the agenda until `done` is said of it.
  func due(at now: Int64) -> [PurchaseKey] { instants.filter { $0.value <= now }.map(\.key) }

  /// - Parameter again: when to look again; nil where only an event of the case brings it back.
  mutating func done(_ key: PurchaseKey, again: Int64?) { instants[key] = again }

  /// The earliest instant on it.
  var next: Int64? { instants.values.min() }
}

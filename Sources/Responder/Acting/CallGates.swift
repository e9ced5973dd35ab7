import AppStore

/// The gates of all apps, one for each environment.
struct CallGates: Sendable {
  struct Name: Hashable, Sendable {
    var app: String
    var environment: String
  }

  private var gates: [Name: CallGate] = [:]
  private let probeEvery: Int64
  /// Results of calls made before this instant say little about key and settings of now.
  private var since: Int64

  init(probeEvery: Int64, since: Int64) {
    self.probeEvery = probeEvery
    self.since = since
  }

  subscript(_ name: Name) -> CallGate {
    get { gates[name] ?? CallGate(probeEvery: probeEvery) }
    set { gates[name] = newValue }
  }

  /// Takes what came of the newest calls of a case.
  mutating func note(_ state: CaseState, _ name: Name, now: Int64) -> CallGate.Change? {
    var change: CallGate.Change?
    let attempts = state.requests.flatMap(\.attempts).sorted { $0.position < $1.position }
    for attempt in attempts {
      guard let result = attempt.result else { continue }
      change = self[name].note(result, claim: attempt.position, isOld: attempt.at < since, now: now) ?? change
    }
    return change
  }

  /// Keys or settings were read again.
  mutating func settingsChanged(now: Int64) {
    since = now
    for name in gates.keys { gates[name]!.tryAgain(now: now) }
  }
}

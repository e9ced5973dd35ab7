import AppStore

/// The gates of all apps, one for each environment.
struct CallGates: Sendable {
  struct Name: Hashable, Sendable {
    var app: String
    var environment: String

    init(app: String, environment: String) {
      self.app = app
      self.environment = environment
    }

    /// nil for a case of which nobody knows the app.
    init?(_ state: CaseState) {
      guard let app = state.app else { return nil }
      self.app = app
      environment = state.environment
    }
  }

  private var gates: [Name: CallGate] = [:]
  private let probeEvery: Int64
  /// Results of calls that were claimed up to this position say little about key, settings and clock of now. No instant, as
  /// the clock may have been wrong then.
  private var since: Int64 = 0

  init(probeEvery: Int64) { self.probeEvery = probeEvery }

  subscript(_ name: Name) -> CallGate {
    get { gates[name] ?? CallGate(probeEvery: probeEvery) }
    set { gates[name] = newValue }
  }

  /// Other environments of the app in which Apple took a token.
  func othersTaken(than name: Name) -> [String] {
    gates.filter { $0.key.app == name.app && $0.key.environment != name.environment && $0.value.takenAt != nil }
      .map(\.key.environment).sorted()
  }

  /// Takes what came of the calls of a case.
  mutating func note(_ state: CaseState, now: Int64) -> CallGate.Change? {
    guard let name = Name(state) else { return nil }
    var change: CallGate.Change?
    for attempt in state.requests.flatMap(\.attempts).sorted(by: { $0.position < $1.position }) {
      change = note(attempt, name, now: now) ?? change
    }
    return change
  }

  /// Takes what came of all calls before any is made: a limit that one case met holds for the others.
  mutating func note(_ states: [CaseState], now: Int64) {
    let attempts = states.flatMap { state in
      Name(state).map { name in state.requests.flatMap(\.attempts).map { (name, $0) } } ?? []
    }
    for (name, attempt) in attempts.sorted(by: { $0.1.position < $1.1.position }) { _ = note(attempt, name, now: now) }
  }

  private mutating func note(_ attempt: RefundRequest.Attempt, _ name: Name, now: Int64) -> CallGate.Change? {
    guard let result = attempt.result else { return nil }
    return self[name].note(
      result, claim: attempt.position, madeAt: attempt.at, isOld: attempt.position <= since, now: now)
  }

  /// Keys or settings were read again, or the clock that tokens are dated by was put right.
  /// - Parameter position: of the newest claim that was made before.
  mutating func tryAgain(now: Int64, after position: Int64) {
    since = max(since, position)
    for name in gates.keys { gates[name]!.tryAgain(now: now) }
  }
}

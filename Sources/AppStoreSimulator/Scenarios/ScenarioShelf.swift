import Service

/// The scenario files that were played, the newest ones; one plays at a time.
final class ScenarioShelf: Sendable {
  static let runsMax = 100

  private struct State {
    var runs: [ScenarioRun] = []
    var isStopping = false
  }

  private let state = Monitor(State())
  private let ledger: Ledger
  private let clock: WallClock
  private let log: Logger

  init(ledger: Ledger, clock: WallClock, log: Logger) {
    (self.ledger, self.clock, self.log) = (ledger, clock, log)
  }

  /// - Returns: nil where another one plays, or it is stopping.
  func play(_ file: ScenarioFile, by control: ControlAPI) -> ScenarioRun? {
    state.withLock { state in
      guard !state.isStopping, state.runs.last?.isPlaying != true else { return nil }
      let run = ScenarioRun(file, ledger: ledger, clock: clock, log: log) { control.perform($0, $1) }
      state.runs = (state.runs + [run]).suffix(Self.runsMax)
      return run
    }
  }

  /// Oldest first.
  var all: [ScenarioRun] { state.withLock { $0.runs } }

  /// Ends the one that plays.
  func stop() {
    let runs = state.withLock { state in
      state.isStopping = true
      return state.runs
    }
    for run in runs { run.stop() }
  }
}

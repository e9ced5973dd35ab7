import HTTPTypes
import JSON
import Service

/// Plays a scenario file on a thread of its own, step by step, on the set clock. A step that fails ends it: what follows
/// would tell another story.
final class ScenarioRun: Sendable {
  enum Standing: Equatable, Sendable {
    case playing
    case done
    case stopped
    /// Step, from 1, and why.
    case failed(step: Int, String)
  }

  private struct State {
    var standing = Standing.playing
    var step = 0
    var isStopping = false
    /// What a step was replied.
    var reply: HTTPResponse?
  }

  let file: ScenarioFile
  private let state: Monitor<State>
  private let thread: OwnedThread

  /// - Parameter perform: carries a call out, as the control API does; the reply may come later, on another thread.
  init(
    _ file: ScenarioFile, ledger: Ledger, clock: WallClock, log: Logger,
    perform: @escaping @Sendable (ScenarioStep.Action, @escaping @Sendable (HTTPResponse) -> Void) -> Void
  ) {
    self.file = file
    let state = Monitor(State())
    self.state = state
    thread = OwnedThread(name: "scenario") {
      let player = Player(state: state, ledger: ledger, clock: clock, perform: perform)
      let standing = player.play(file.steps)
      state.change { $0.standing = standing }
      switch standing {
      case .failed(let step, let reason):
        log.warning(
          "scenario ended early",
          ["scenario": .text(file.name), "step": .integer(Int64(step)), "reason": .text(reason)])
      default: log.info("scenario played", ["scenario": .text(file.name), "end": .text("\(standing)")])
      }
    }
  }

  /// Ends it after the step under way. Further calls return at once.
  func stop() {
    state.change { $0.isStopping = true }
    thread.join()
  }

  var isPlaying: Bool { state.withLock { $0.standing == .playing } }

  var json: JSONValue {
    let (standing, step) = state.withLock { ($0.standing, $0.step) }
    var object: JSONObject = [
      "name": .string(file.name), "step": .number(JSONNumber(Int64(step))),
      "steps": .number(JSONNumber(Int64(file.steps.count))),
    ]
    switch standing {
    case .playing: object["state"] = "playing"
    case .done: object["state"] = "done"
    case .stopped: object["state"] = "stopped"
    case .failed(let step, let reason):
      object["state"] = "failed"
      object["line"] = .number(JSONNumber(Int64(file.steps[step - 1].line)))
      object["error"] = .string(reason)
    }
    return .object(object)
  }

  /// Lives on the thread.
  private struct Player {
    let state: Monitor<State>
    let ledger: Ledger
    let clock: WallClock
    let perform: @Sendable (ScenarioStep.Action, @escaping @Sendable (HTTPResponse) -> Void) -> Void

    func play(_ steps: [ScenarioStep]) -> Standing {
      var due = clock.now()
      // An answer to an earlier request is none to the newest.
      var firstAnswer = ledger.nextAnswer
      for (index, step) in steps.enumerated() {
        due = max(due, clock.now()) + step.afterMilliseconds
        guard wait(until: due) else { return .stopped }
        state.change { $0.step = index + 1 }
        switch step.action {
        case .awaitAnswer(let id, let within):
          let end = clock.now() + within
          while !ledger.isAnswered(id, from: firstAnswer) {
            guard clock.now() < end else {
              return .failed(step: index + 1, "no answer about \(id.prefix(64)) was accepted in \(within) ms")
            }
            guard pause(20) else { return .stopped }
          }
        case .call:
          if step.word == .refundRequest || step.word == .event { firstAnswer = ledger.nextAnswer }
          guard let reply = done(step.action) else { return .stopped }
          if reply.status >= 400, reply.status != 502 { return .failed(step: index + 1, Self.words(reply)) }
        }
        // What a slow step took does not shorten the wait for the next.
        due = clock.now()
      }
      return .done
    }

    /// A receiver that is not there is part of some stories: 502 is no failure of a step.
    private static func words(_ reply: HTTPResponse) -> String {
      let error = try? JSONValue(bytes: reply.body)["error"]?.string
      return error ?? "it was answered \(reply.status)"
    }

    private func done(_ action: ScenarioStep.Action) -> HTTPResponse? {
      state.withLock { $0.reply = nil }
      perform(action) { [state] reply in state.change { $0.reply = reply } }
      let reply: HTTPResponse?? = state.wait { state in
        if let reply = state.reply { return .some(reply) }
        return state.isStopping ? .some(nil) : nil
      }
      return reply ?? nil
    }

    /// - Returns: false when told to stop.
    private func wait(until instant: Int64) -> Bool {
      while clock.now() < instant {
        // Looked at once a second at least: the clock may be set.
        guard pause(min(clock.realMilliseconds(until: instant), 1000)) else { return false }
      }
      return !state.withLock { $0.isStopping }
    }

    private func pause(_ milliseconds: Int64) -> Bool {
      let isStopping: Bool? = state.wait(until: MonotonicClock.milliseconds() + max(1, milliseconds)) {
        $0.isStopping ? true : nil
      }
      return isStopping == nil
    }
  }
}

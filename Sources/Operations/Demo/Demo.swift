import EventLog
import Glibc
import Service

/// `refundlog demo`
struct Demo: Command {
  static let page = CommandPage(
    name: "demo",
    summary:
      "Plays one refund request with real processes on this machine, the simulator standing in for the App Store",
    options: [CommandOption(name: "once", value: nil, meaning: "ends when the story has been told and proves the log")])

  private let surroundings: RefundlogProgram.Surroundings
  private let once: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    once = try surroundings.arguments(words, for: Self.page).has("once")
    self.surroundings = surroundings
  }

  /// - Throws: where the story does not end as it must; the folder with everything in it is kept then.
  func run() throws(CommandError) {
    surroundings.print("Starting the simulator, which stands in for the App Store, the receiver and the responder …\n")
    // Before the first child: its wait for the end of the play is by signal.
    if !once { ProcessSignals.hold() }
    let stage = try DemoStage(programs: surroundings.programs)
    do throws(CommandError) {
      try CoinPackStory(stage: stage, say: { surroundings.print($0 + "\n") }).play()
      if once {
        stage.stop()
        try proveLog(stage)
        try stage.clear()
      } else {
        stayUp(stage)
      }
    } catch {
      stage.stop()
      throw CommandError(error.code, "\(error)\nEverything that happened is in \(stage.folder)")
    }
  }

  private func proveLog(_ stage: DemoStage) throws(CommandError) {
    surroundings.print("\nThe programs have stopped. refundlog log verify says:\n")
    try LogVerify(surroundings, ["--data", stage.data]).run()
  }

  private func stayUp(_ stage: DemoStage) {
    surroundings.print(
      """

      The programs stay up until you press Ctrl-C. Try:
        \(surroundings.programs)/refundlog log tail --follow --data \(stage.data)
        sqlite3 'file:\(stage.data)/events.sqlite?mode=ro' 'select type, kind, count(*) from log_v1 group by 1, 2'
        curl -s \(stage.simulator)/simulator/v1/answers
        curl -s -X POST \(stage.simulator)/simulator/v1/refund-requests -d '\(CoinPackStory.another)'
      Settings, keys and program logs are in \(stage.folder)

      """)
    ProcessSignals.waitForStop()
    stage.stop()
    surroundings.print("\nStopped. Delete \(stage.folder) when you need it no more; it holds keys of this play.\n")
  }
}

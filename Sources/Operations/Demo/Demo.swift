import Glibc
import Service

/// `refundlog demo`
struct Demo: Command {
  static let page = CommandPage(
    name: "demo",
    summary: "Tells stories of refund requests with the real programs, the simulator standing in for the App Store",
    details: """
      Each story ends with checks; the first that does not hold is told, and the exit code is 1. The programs run in a
      folder of their own, with a clock that runs faster. Without --once they stay up afterwards, in real time, with
      commands to try.
      """,
    options: [
      CommandOption(name: "once", value: nil, meaning: "ends when all stories have been told and proves the log")
    ])

  /// The play begins so long ago that it ends before now, however long it takes: what is done afterwards is done in real
  /// time, over a log that tells of the past.
  private static let beginsBefore: Int64 = 20 * 3_600_000

  private let surroundings: RefundlogProgram.Surroundings
  private let once: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    once = try surroundings.arguments(words, for: Self.page).has("once")
    self.surroundings = surroundings
  }

  /// - Throws: where a story does not end as it must; the folder with everything in it is kept then.
  func run() throws(CommandError) {
    let interruption = Interruption.bySignal()
    surroundings.print(
      "Starting the simulator, which stands in for the App Store, the receiver and the responder …\n")
    let clock = DemoClock(showing: WallClock.system.now() - Self.beginsBefore, speed: Story.speedStandard)
    let stage = try DemoStage(programs: surroundings.programs, clock: clock, interruption: interruption)
    try DemoPlay(surroundings: surroundings, stage: stage, stories: Story.all, once: once).run()
  }
}

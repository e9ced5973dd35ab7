import Service

/// Stories told one after the other on one stage, and what came of them.
struct DemoPlay {
  let surroundings: RefundlogProgram.Surroundings
  let stage: DemoStage
  let stories: [Story]
  /// Ends when they are told; else the programs stay up, unless a story ended wrongly.
  let once: Bool

  private var narrator: Narrator { Narrator(print: surroundings.print) }

  /// - Throws: where a story does not end as it must; the folder with everything in it is kept then.
  func run() throws(CommandError) {
    do throws(CommandError) {
      let wrong = try tell()
      if !once, wrong.isEmpty { return try stayUp() }
      stage.stop()
      try proveLog()
      try sumUp(wrong)
      try stage.clear()
    } catch {
      stage.stop()
      throw CommandError(error.code, "\(error)\nEverything that happened is in \(stage.folder)")
    }
  }

  // MARK: The stories

  /// - Returns: titles of those that ended wrongly, each with its number.
  private func tell() throws(CommandError) -> [String] {
    narrator.say(
      "They share one folder, \(stage.folder), and a clock of their own: it begins at "
        + "\(DemoClock.text(stage.clock.now)) UTC, and one second is \(stage.clock.speed / 60) minutes on it.")
    var rows: [StoryRow] = []
    var wrong: [String] = []
    for (index, story) in stories.enumerated() {
      narrator.say("\n\(index + 1). \(story.title)")
      narrator.say(story.about, indent: 2)
      let scene = Scene(stage: stage, narrator: narrator, purchase: story.purchase)
      do throws(CommandError) {
        if stage.clock.speed != story.speed {
          try stage.restart(DemoClock(showing: stage.clock.now, speed: story.speed))
        }
        for step in story.steps { try step.happen(scene) }
        rows.append(try scene.row(story.title))
      } catch {
        try refuseInterruption()
        narrator.say("WRONG: \(error)", indent: 2)
        rows.append(StoryRow(title: story.title, told: "", ended: "WRONG, see above"))
        wrong.append("\(index + 1). \(story.title): \(error)")
        if !once { break }
      }
    }
    surroundings.print("\n")
    for line in StoryRow.lines(rows) { surroundings.print(line + "\n") }
    return wrong
  }

  /// Ctrl-C at a terminal also reaches the programs, whose end may be seen first.
  private func refuseInterruption() throws(CommandError) {
    guard stage.interruption.wait(milliseconds: 100) else { return }
    throw CommandError(.failure, "stopped before all stories were told")
  }

  private func proveLog() throws(CommandError) {
    narrator.say("\nThe programs have stopped. refundlog log verify says:")
    try LogVerify(surroundings, ["--data", stage.data]).run()
  }

  private func sumUp(_ wrong: [String]) throws(CommandError) {
    if wrong.isEmpty { return narrator.say("\n\(stories.count) stories, all right.") }
    let words = wrong.count == 1 ? "1 of \(stories.count) stories" : "\(wrong.count) of \(stories.count) stories"
    throw CommandError(.failure, "\(words) ended wrongly:\n" + wrong.map { "  \($0)" }.joined(separator: "\n"))
  }

  // MARK: Afterwards

  private func stayUp() throws(CommandError) {
    try stage.restartInRealTime()
    narrator.say(
      "\n\(stories.count) stories, all right. The programs stay up until you press Ctrl-C, in real time from now on. Try:"
    )
    for (command, meaning) in DemoCommands(stage: stage, programs: surroundings.programs).all {
      surroundings.print("\n  # \(meaning)\n  \(command)\n")
    }
    narrator.say("\nSettings, keys and what the programs print are in \(stage.folder)")
    stage.interruption.wait()
    stage.stop()
    narrator.say("\nStopped. Delete \(stage.folder) when you need it no more; it holds keys of this play:")
    surroundings.print("  rm -r \(stage.folder)\n")
  }
}

import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("The demo", .serialized) struct DemoTests {
  @Test("tells every story with real processes and ends well", .timeLimit(.minutes(5)))
  func once() throws {
    let (code, output) = try run("\(Programs.folder)/refundlog", ["demo", "--once"])
    #expect(code == 0, "\(output)")
    for (index, story) in Story.all.enumerated() {
      #expect(output.contains("\n\(index + 1). \(story.title)\n"))
    }
    #expect(output.contains(#""consumptionPercentage":94000}"#))
    #expect(output.contains("940 of 1,000 units used, stated by backend"))
    #expect(output.contains("\n\(Story.all.count) stories, all right.\n"))
    #expect(output.contains("nothing altered, removed or inserted"))
    let long = output.split(separator: "\n").filter { $0.count > Narrator.columns }
    #expect(long.isEmpty, "\(long)")
    // A play that ended well leaves nothing behind.
    let folder = try #require(output.split(separator: " ").first { $0.hasPrefix("/tmp/refundlog-demo-") })
    #expect(access(String(folder.dropLast()), F_OK) != 0)
  }

  /// A play in this process, with what it printed.
  private final class Rehearsal {
    private(set) var printed = ""
    /// Called with each text.
    var then: (String) -> Void = { _ in }
    let stage: DemoStage

    init(changing: @escaping (inout JSONObject) -> Void = { _ in }) throws {
      let clock = DemoClock(showing: WallClock.system.now() - 20 * 3_600_000, speed: Story.speedStandard)
      stage = try DemoStage(
        programs: Programs.folder, clock: clock, patienceMilliseconds: 3_000, changing: changing)
    }

    func play(_ stories: [Story], once: Bool) -> CommandError? {
      let surroundings = RefundlogProgram.Surroundings(
        print: { [self] in
          printed += $0
          then($0)
        }, complain: { _ in }, variables: [:], programs: Programs.folder)
      // It may hold this play in its turn.
      defer { then = { _ in } }
      do {
        try DemoPlay(surroundings: surroundings, stage: stage, stories: stories, once: once).run()
        return nil
      } catch { return error }
    }

    /// Whether a process works in the play's folder.
    /// The pattern does not fit its own command line.
    var hasProcesses: Bool { system("pgrep -f '\(stage.folder)/[s]ettings.json' >/dev/null") == 0 }

    deinit {
      stage.stop()
      // Gone already where the play ended well.
      try? stage.clear()
    }
  }

  /// What is changed in the settings, and what is found then in place of an answer.
  enum Breakage: CaseIterable {
    case noProductStatement, wrongKey

    var found: String {
      switch self {
      case .noProductStatement: "It waits for facts: deliveryStatus, sampleContentProvided."
      case .wrongKey: "The last attempt: the App Store answered 401"
      }
    }

    func change(_ settings: inout JSONObject) {
      guard var app = settings["apps"]?.array?.first?.object, var key = app["key"]?.object else { return }
      switch self {
      case .noProductStatement: app["products"] = nil
      case .wrongKey: key["id"] = "OTHERKEY01"
      }
      app["key"] = .object(key)
      settings["apps"] = [.object(app)]
    }
  }

  @Test(
    "says which story ended wrongly, tells the others, and ends with 1", .timeLimit(.minutes(5)),
    arguments: Breakage.allCases)
  func wrong(breakage: Breakage) throws {
    let rehearsal = try Rehearsal { breakage.change(&$0) }
    let error = try #require(rehearsal.play([.coinPack, .outOfOrder], once: true))
    #expect(error.code == .failure && error.code.rawValue == 1)
    let sentence = "1. \(Story.coinPack.title): expected is Apple is told {\"customerConsented\":true,"
    #expect(error.description.contains("1 of 2 stories ended wrongly:\n  \(sentence)"), "\(error)")
    #expect(error.description.contains("found was ") && error.description.contains(breakage.found), "\(error)")
    #expect(error.description.contains("Everything that happened is in \(rehearsal.stage.folder)"))
    #expect(rehearsal.printed.contains("\n2. \(Story.outOfOrder.title)\n"))
    #expect(rehearsal.printed.contains("refunded in full (not answered)\n"), "\(rehearsal.printed)")
    #expect(!rehearsal.hasProcesses && access(rehearsal.stage.data + "/events.sqlite", F_OK) == 0)
  }

  @Test("ends at the first story that ends wrongly where it would have stayed up", .timeLimit(.minutes(5)))
  func wrongAndStaying() throws {
    let rehearsal = try Rehearsal { Breakage.noProductStatement.change(&$0) }
    let error = try #require(rehearsal.play([.coinPack, .outOfOrder], once: false))
    #expect(error.code == .failure)
    #expect(!rehearsal.printed.contains(Story.outOfOrder.title) && !rehearsal.hasProcesses)
  }

  @Test("stays up with commands that work when pasted, and stops all when told to", .timeLimit(.minutes(5)))
  func staysUp() throws {
    let rehearsal = try Rehearsal()
    var commands: [(command: String, code: Int32, output: String)] = []
    rehearsal.then = { text in
      let lines = text.split(separator: "\n")
      // The last line of a command's block.
      if text.contains("\n  # "), let command = lines.last {
        let folder = TemporaryFolder()
        let script = "timeout 2 " + command.drop { $0 == " " }
        let status = system("\(script) >'\(folder.path)/out' 2>&1")
        let output = String(decoding: Project.bytes("\(folder.path)/out") ?? [], as: UTF8.self)
        commands.append((script, status >> 8, output))
      }
      if text.contains("Settings, keys") { rehearsal.stage.interruption.raise() }
    }
    let error = rehearsal.play([.coinPack], once: false)
    #expect(error == nil, "\(error?.description ?? "")")
    #expect(commands.count >= 10)
    for (command, code, output) in commands {
      // What follows is ended by the time limit.
      #expect(code == (command.contains("--follow") ? 124 : 0) && !output.isEmpty, "\(command): \(code) \(output)")
      #expect(!command.contains("curl") || !output.contains(#"{"error":"#), "\(command): \(output)")
    }
    let answers = try #require(commands.first { $0.command.hasSuffix("/answers") })
    #expect(answers.output.contains(#""status":202"#), "\(answers.output)")
    #expect(rehearsal.printed.contains("rm -r \(rehearsal.stage.folder)\n"))
    #expect(!rehearsal.hasProcesses)
  }

  @Test("stops all when it is interrupted in the middle", .timeLimit(.minutes(5)))
  func interrupted() throws {
    let rehearsal = try Rehearsal()
    rehearsal.then = { [weak rehearsal] text in
      if text.contains("buys 1,000 coins") { rehearsal?.stage.interruption.raise() }
    }
    let error = try #require(rehearsal.play([.coinPack, .outOfOrder], once: true))
    #expect(error.description.hasPrefix("stopped before all stories were told"))
    #expect(!rehearsal.hasProcesses && !rehearsal.printed.contains(Story.outOfOrder.title))
  }

  @Test("says in one sentence which program is missing")
  func missing() throws {
    let clock = DemoClock(showing: WallClock.system.now(), speed: 1)
    let error = #expect(throws: CommandError.self) { _ = try DemoStage(programs: "/nowhere", clock: clock) }
    #expect(
      error?.description.hasPrefix(
        "/nowhere/appstore-simulator cannot be started: No such file or directory; build all programs first") == true)
  }
}

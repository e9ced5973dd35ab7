import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// Beside RandomKillTests, which tells whole stories: here the moments are chosen where a kill hurts most, in a commit, in
/// a checkpoint, in a command of the operator.
@Suite("Programs that are killed in the middle of a write", .serialized, .timeLimit(.minutes(14)))
struct KilledProgramsTests {
  /// Where it happens.
  private enum Moment: CaseIterable {
    /// Whenever.
    case anyTime
    /// Right before or after a commit is written, or synced.
    case commit
    /// Among the pages that a checkpoint copies into the log's file, or before they are synced.
    case checkpoint
    /// Among those of the last checkpoint, while the program ends in order.
    case lastCheckpoint
    /// In a write of the receiver's state or the responder's projection.
    case ownFile

    func rule(using random: inout SeededRandom) -> (
      FaultControl.Action, FaultControl.Call, FaultControl.File, skip: Int
    )? {
      let action = [FaultControl.Action.dieBefore, .dieAfter].randomElement(using: &random)!
      switch self {
      case .anyTime: return nil
      case .commit:
        return (
          action, [.write, .sync].randomElement(using: &random)!, .logWAL, Int.random(in: 0...20, using: &random)
        )
      case .checkpoint, .lastCheckpoint:
        return random.isOne(in: 4)
          ? (action, .sync, .log, 0) : (action, .write, .log, Int.random(in: 0...12, using: &random))
      case .ownFile:
        return (action, [.write, .sync], [.state, .stateWAL, .projection], Int.random(in: 0...6, using: &random))
      }
    }
  }

  @Test("lose nothing that was answered with 200, and are ready again at once")
  func kills() throws {
    let seed = Effort.seed()
    var random = SeededRandom(seed: seed)
    let folder = TemporaryFolder()
    var installation = try Installation(in: folder.path, production: 1, sandbox: 1)
    let control = try FaultControl(in: folder.path)
    // The operator's commands and the other program run without the library: only the victim dies by rule.
    let other = [
      "refund-receiver": try installation.program("refund-receiver"),
      "refund-responder": try installation.program("refund-responder"),
    ]
    installation.programs = try PreloadedLibrary(
      in: folder.path, watching: installation.data, control: control.path
    ).programs
    let victims = [
      "refund-receiver": try installation.program("refund-receiver"),
      "refund-responder": try installation.program("refund-responder"),
    ]
    defer { for program in Array(other.values) + Array(victims.values) { program.kill() } }
    let traffic = NoticeTraffic(installation)
    let senders = traffic.begin(to: [installation.ports.receiver])
    var worst: (milliseconds: Int64, program: String) = (0, "")
    var byRule = 0
    var kills = 0
    let wanted = Effort.pick(24, long: 200)
    var running = other
    for program in other.values { try program.startAndWait() }
    while kills < wanted {
      let name = ["refund-receiver", "refund-receiver", "refund-responder"].randomElement(using: &random)!
      let moment = Moment.allCases[kills % Moment.allCases.count]
      // The victim takes the place of its twin, which is killed too.
      running[name]!.kill()
      let victim = victims[name]!
      let began = MonotonicClock.milliseconds()
      try victim.startAndWait()
      let took = MonotonicClock.milliseconds() - began
      if took > worst.milliseconds { worst = (took, name) }
      running[name] = victim
      usleep(UInt32.random(in: 20_000...200_000, using: &random))
      guard let rule = moment.rule(using: &random) else {
        if victim.kill() { kills += 1 }
        running[name] = other[name]!
        try other[name]!.startAndWait()
        continue
      }
      control.set(rule.0, rule.1, of: rule.2, skip: rule.skip, times: 1)
      if moment == .lastCheckpoint { victim.askToStop() }
      let deadline = MonotonicClock.milliseconds() + 1_000
      while victim.isRunning, MonotonicClock.milliseconds() < deadline { usleep(1_000) }
      if control.hits() > 0 { byRule += 1 }
      victim.kill()
      kills += 1
      control.clear()
      running[name] = other[name]!
      try other[name]!.startAndWait()
    }
    traffic.stop(senders)
    traffic.post(20, to: [installation.ports.receiver])
    for program in other.values { program.stop() }
    let tally = traffic.tally
    print(
      "KilledProgramsTests, seed \(seed): \(kills) kills, \(byRule) by rule, \(tally.acknowledged.count) acknowledged, "
        + "\(tally.unavailable) posted again, ready after \(worst.milliseconds) ms at worst (\(worst.program))")
    #expect(byRule > wanted / 4)
    #expect(tally.wrong.isEmpty)
    let left = SurvivingFolder(installation.data)
    #expect(left.fault == nil)
    let missing = left.missing(of: tally.acknowledged)
    #expect(missing.isEmpty, "\(missing.count) of \(tally.acknowledged.count), seed \(seed): \(missing.prefix(3))")
    // A second is what is promised of a release build on a machine of its own.
    #expect(worst.milliseconds < 5_000)
  }
}

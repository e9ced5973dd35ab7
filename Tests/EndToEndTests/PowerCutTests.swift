import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// SIGKILL never finds a missing sync: the kernel writes on. These tests take away what was not synced.
@Suite("A power cut", .serialized, .timeLimit(.minutes(14)))
struct PowerCutTests {
  /// What two receivers did to their common folder, in three lives.
  private final class Story {
    let folder = TemporaryFolder()
    let recording: PowerCutRecording
    let tally: NoticeTraffic.Tally

    /// - Parameter notices: of each life.
    init(notices: Int, withoutSyncedCommits: Bool = false) throws {
      var installation = try Installation(in: folder.path, production: 1, sandbox: 1)
      let path = folder.path + "/recording"
      installation.programs = try PreloadedLibrary(
        in: folder.path, watching: installation.data, recording: path, withoutSyncedCommits: withoutSyncedCommits
      ).programs
      let first = try installation.program("refund-receiver")
      let secondPort = Installation.quietPorts(1)[0]
      let second = try installation.further("refund-receiver", at: secondPort)
      let ports = [installation.ports.receiver, secondPort]
      let traffic = NoticeTraffic(installation)
      defer { for program in [first, second] { program.kill() } }
      // The first makes the files.
      try first.startAndWait()
      traffic.post(notices, to: [ports[0]])
      try second.startAndWait()
      traffic.post(notices, to: ports)
      PowerCutRecording.kill(first, recording: path)
      // Ends in order, with a checkpoint.
      second.stop()
      try second.startAndWait()
      try first.startAndWait()
      traffic.post(notices, to: ports)
      for program in [first, second] { PowerCutRecording.kill(program, recording: path) }
      recording = try PowerCutRecording(path, of: installation.data)
      tally = traffic.tally
    }

    /// The library saw every answer that the senders got, and files that were checkpointed.
    func check() {
      #expect(tally.wrong.isEmpty && tally.acknowledged.isSubset(of: recording.acknowledged))
      #expect(!tally.parked.isEmpty && tally.acknowledged.count > tally.parked.count)
    }
  }

  private struct Result {
    var cuts = 0
    var lost = 0
    var faults: [String] = []
    /// How often the bell was behind the log, level with it, or absent; it is refused when ahead.
    var bell = (behind: 0, level: 0, absent: 0)
  }

  /// Cuts at each of the steps and looks at what is left.
  private func cut(_ recording: PowerCutRecording, at steps: [Int], seed: UInt64) throws -> Result {
    var random = SeededRandom(seed: seed)
    var disk = CutDisk(recording)
    var result = Result()
    for step in steps {
      disk.advance(to: step)
      let mercy = CutDisk.Mercy.allCases.randomElement(using: &random)!
      let folder = TemporaryFolder(inMemory: true)
      try disk.cut(mercy, into: folder.path + "/data", with: &random)
      let left = SurvivingFolder(folder.path + "/data")
      result.cuts += 1
      let missing = left.missing(of: disk.acknowledged)
      result.lost += missing.count
      if let fault = left.fault ?? (missing.isEmpty ? nil : "\(missing.count) lost, such as \(missing[0])") {
        result.faults.append("cut at step \(step), \(mercy): \(fault)")
      }
      switch left.bell {
      case nil: result.bell.absent += 1
      case left.head.value?: result.bell.level += 1
      default: result.bell.behind += 1
      }
    }
    return result
  }

  @Test("takes nothing that was answered with 200, and damages nothing, wherever it comes")
  func nothingLost() throws {
    let seed = Effort.seed()
    let story = try Story(notices: Effort.pick(120, long: 600))
    story.check()
    var random = SeededRandom(seed: seed)
    let steps = (0..<Effort.pick(60, long: 1_000)).map { _ in
      Int.random(in: 0...story.recording.steps.count, using: &random)
    }.sorted()
    let result = try cut(story.recording, at: steps, seed: seed)
    print(
      "PowerCutTests, seed \(seed): \(story.recording.steps.count) steps, \(story.recording.acknowledged.count) answers, "
        + "\(result.cuts) cuts, \(result.lost) lost, bell \(result.bell)")
    #expect(result.lost == 0)
    #expect(result.faults.isEmpty, "\(result.faults.count) of \(result.cuts), seed \(seed): \(result.faults.prefix(5))")
  }

  /// Each step of the way from no folder to the first answers.
  @Test("during the very first start leaves a folder that the next start makes good use of")
  func firstStart() throws {
    let seed = Effort.seed()
    let folder = TemporaryFolder()
    var installation = try Installation(in: folder.path, production: 1, sandbox: 1)
    let path = folder.path + "/recording"
    installation.programs = try PreloadedLibrary(in: folder.path, watching: installation.data, recording: path).programs
    let receiver = try installation.program("refund-receiver")
    try receiver.startAndWait()
    NoticeTraffic(installation).post(10, to: [installation.ports.receiver])
    PowerCutRecording.kill(receiver, recording: path)
    let recording = try PowerCutRecording(path, of: installation.data)
    var answers = 0
    let end = recording.steps.firstIndex { step in
      if case .acknowledge = step { answers += 1 }
      return answers == 3
    }
    let steps = (0...(try #require(end))).flatMap { Array(repeating: $0, count: Effort.pick(1, long: 8)) }
    let result = try cut(recording, at: steps, seed: seed)
    print("PowerCutTests, seed \(seed): first start, \(result.cuts) cuts in \(end ?? 0) steps, bell \(result.bell)")
    #expect(result.lost == 0)
    #expect(result.faults.isEmpty, "\(result.faults.count) of \(result.cuts), seed \(seed): \(result.faults.prefix(5))")
  }

  /// The mutation of the two above: the same test over programs that commit without a sync.
  @Test("loses answered notifications where commits are not synced, so the test can fail")
  func withoutSyncs() throws {
    let seed = Effort.seed()
    let story = try Story(notices: Effort.pick(30, long: 100), withoutSyncedCommits: true)
    story.check()
    var random = SeededRandom(seed: seed)
    let steps = (0..<Effort.pick(20, long: 100)).map { _ in
      Int.random(in: 0...story.recording.steps.count, using: &random)
    }.sorted()
    let result = try cut(story.recording, at: steps, seed: seed)
    print("PowerCutTests, seed \(seed): with synchronous=NORMAL \(result.lost) lost in \(result.cuts) cuts")
    #expect(result.lost > 0)
  }
}

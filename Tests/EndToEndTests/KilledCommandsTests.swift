import Contracts
import EventLog
import Glibc
import Service
import TestSupport
import Testing

@testable import Operations

/// Promise 2, of what an operator runs: killed at any moment, a command leaves nothing half-made that somebody takes for
/// whole, and does its work when it is run again.
@Suite("A command that is killed in the middle", .serialized, .timeLimit(.minutes(14)))
struct KilledCommandsTests {
  enum Errand: String, CaseIterable { case rebuild, backup, restore, imported, migrate }

  private static let refundlog = "\(Programs.folder)/refundlog"

  /// A data folder without services, a backup of it, a copy for import, and the rows of its projection.
  private final class Stage {
    let folder = TemporaryFolder()
    let control: FaultControl
    let programs: String
    let data: String
    let backup: String
    let copy: String
    let head: Bookmark
    let rows: [String]

    init(events: Int) throws {
      data = folder.path + "/data"
      backup = folder.path + "/backup"
      copy = folder.path + "/copy.jsonl"
      control = try FaultControl(in: folder.path)
      programs = try PreloadedLibrary(in: folder.path, watching: folder.path, control: control.path).programs
      let log = try LocalEventLog.open(data, clock: .system)
      let now = WallClock.system.now()
      for start in stride(from: 0, to: events, by: 500) {
        _ = try log.append(
          (start..<min(events, start + 500)).map { try RebuildKillTests.draft($0, of: events / 5, at: now - 1_000_000) }
        )
      }
      head = try log.head()
      log.close()
      try KilledCommandsTests.succeed(["backup", backup, "--data", data])
      try KilledCommandsTests.succeed(["log", "export", "--lossless", "--output", copy, "--data", data])
      try KilledCommandsTests.succeed(["rebuild", "--data", data])
      rows = try Projected(data: data).rows()
    }

    /// Starts the command and kills it: at some moment, or in the middle of a write or a sync.
    /// - Returns: whether it was still at work.
    func kill(_ words: [String], within milliseconds: Int64, using random: inout SeededRandom) throws -> Bool {
      let isByRule = random.isOne(in: 2)
      if isByRule {
        control.set(
          [FaultControl.Action.dieBefore, .dieAfter].randomElement(using: &random)!,
          [FaultControl.Call.write, .sync, [.write, .sync]].randomElement(using: &random)!,
          of: [.log, .logWAL, .projection, .state], skip: Int.random(in: 0...60, using: &random), times: 1)
      }
      defer { control.clear() }
      let child = try ChildProcess(
        "refundlog", in: programs, arguments: words, output: folder.path + "/output")
      if !isByRule {
        usleep(UInt32.random(in: 0...UInt32(milliseconds * 1_100), using: &random))
        Glibc.kill(child.id, SIGKILL)
      }
      let deadline = MonotonicClock.milliseconds() + 60_000
      while child.isRunning, MonotonicClock.milliseconds() < deadline { usleep(500) }
      return child.exitCode == nil
    }
  }

  @Test("leaves the log as it was, nothing that looks whole and is not, and succeeds when it is run again")
  func killed() throws {
    let seed = Effort.seed()
    print("KilledCommandsTests with REFUNDLOG_SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    let stage = try Stage(events: Effort.pick(500, long: 5_000))
    var killed = 0
    for errand in Errand.allCases {
      var hit = 0
      let target = stage.folder.path + "/of-\(errand.rawValue)"
      let began = MonotonicClock.milliseconds()
      try run(errand, on: stage, target)
      let milliseconds = MonotonicClock.milliseconds() - began
      try check(errand, on: stage, target, isDone: true)
      for _ in 0..<Effort.pick(3, long: 25) {
        try prepare(errand, on: stage, target)
        // Killed once or twice before it is let through: what the first one left must not trip the second.
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          if try stage.kill(words(errand, on: stage, target), within: milliseconds, using: &random) { hit += 1 }
          try check(errand, on: stage, target, isDone: false)
        }
        // A killed one may have come to its end.
        if isThere(errand, target) { try Files.removeFolder(target) }
        try run(errand, on: stage, target)
        try check(errand, on: stage, target, isDone: true)
      }
      print("  \(errand.rawValue): \(hit) kills in \(milliseconds) ms of work")
      killed += hit
    }
    #expect(killed >= Errand.allCases.count, "the test is worth nothing where no kill hits")
  }

  // MARK: Parts

  private func words(_ errand: Errand, on stage: Stage, _ target: String) -> [String] {
    switch errand {
    case .rebuild: ["rebuild", "--data", stage.data]
    case .backup: ["backup", target, "--data", stage.data]
    case .restore: ["restore", stage.backup, "--data", target]
    case .imported: ["log", "import", stage.copy, "--data", target]
    case .migrate: ["log", "migrate", "--data", stage.data]
    }
  }

  /// Whether it makes a folder, and that is there with a log in it.
  private func isThere(_ errand: Errand, _ target: String) -> Bool {
    switch errand {
    case .rebuild, .migrate: false
    case .backup: access(target, F_OK) == 0
    case .restore, .imported: access(target + "/events.sqlite", F_OK) == 0
    }
  }

  private func prepare(_ errand: Errand, on stage: Stage, _ target: String) throws {
    if isThere(errand, target) { try Files.removeFolder(target) }
    // So that what a killed one leaves is all there is.
    if errand == .rebuild { Projected.remove(from: stage.data) }
  }

  private func run(_ errand: Errand, on stage: Stage, _ target: String) throws {
    try Self.succeed(words(errand, on: stage, target))
  }

  private static func succeed(_ words: [String]) throws {
    let (code, output) = try EndToEndTests.run(refundlog, words)
    try #require(code == 0, "\(words[0]): \(output)")
  }

  /// What is there is whole, whenever it is there.
  /// - Parameter isDone: it has to be there.
  private func check(_ errand: Errand, on stage: Stage, _ target: String, isDone: Bool) throws {
    let proof = try LogVerifier(folder: stage.data).verify()
    #expect(proof.head == stage.head.position && proof.chain == stage.head.chain, "\(errand): the log is as it was")
    switch errand {
    case .migrate: break
    case .rebuild:
      let position = try? Projected(data: stage.data).position()
      if isDone || position != nil { #expect(try Projected(data: stage.data).rows() == stage.rows) }
    case .backup:
      guard isDone || isThere(errand, target) else { break }
      let copy = try LogVerifier(folder: target).verify()
      #expect(copy.head == stage.head.position && copy.chain == stage.head.chain)
      #expect(access(target + "/backup.json", F_OK) == 0)
      if isDone { #expect(access(target + ".part", F_OK) != 0, "what a killed one left is gone") }
    case .restore, .imported:
      guard isDone || isThere(errand, target) else { break }
      let copy = try LogVerifier(folder: target).verify()
      #expect(copy.head == (errand == .restore ? stage.head.position.next : stage.head.position))
      let newest = try LocalEventLog.reading(target).read(after: stage.head.position, limit: 2)
      #expect(newest.map(\.type) == (errand == .restore ? [EventType.logRestored.rawValue] : []))
      if isDone { #expect(access(target + "/.incoming", F_OK) != 0, "what a killed one left is gone") }
    }
  }
}

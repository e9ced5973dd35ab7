import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// What the disk refuses, the receiver does not promise.
@Suite("A receiver over a disk that fails", .serialized, .timeLimit(.minutes(14)))
struct FaultyDiskTests {
  /// A call that fails for as long as the disk is ill.
  struct Illness: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var calls: FaultControl.Call
    var files: FaultControl.File
    var errno: Int32
  }

  @Test(
    "answers 503 and when to come again, says why it is not ready, and recovers by itself",
    arguments: [
      Illness(testDescription: "writes to the log fail", calls: .write, files: .logWAL, errno: EIO),
      Illness(testDescription: "the log's disk is full", calls: .write, files: .logWAL, errno: ENOSPC),
      Illness(testDescription: "syncs of the log fail", calls: .sync, files: .logWAL, errno: EIO),
    ])
  func illness(_ illness: Illness) throws {
    let stage = try FaultStage()
    stage.traffic.post(20, to: [stage.installation.ports.receiver])
    #expect(stage.readiness().status == 200)
    stage.control.set(.fail(errno: illness.errno), illness.calls, of: illness.files)
    for number in 1_000..<1_004 {
      // One whose number ends with a seven would be parked, in another file.
      let response = try stage.postOne(number)
      #expect(response.status == 503 && response.fields["Retry-After"] != nil)
    }
    let (status, text) = stage.readiness()
    #expect(status == 503)
    #expect(text.contains("the log takes nothing"), "\(text)")
    #expect(stage.control.hits() > 0)
    stage.control.clear()
    // Those that were refused come again, and others.
    for number in 1_000..<1_006 { #expect(try stage.postOne(number).status == 200) }
    #expect(stage.readiness().status == 200)
    stage.traffic.post(20, to: [stage.installation.ports.receiver])
    #expect(stage.control.trustedAgain == 0)
    let faults = try stage.cutsThatLose(seed: Effort.seed(), 10)
    #expect(faults.isEmpty, "\(faults)")
    #expect(stage.receiver.endedByItself.isEmpty)
  }

  /// One call after another, any that the receiver makes: in the middle of a commit, of a checkpoint, of opening anew.
  @Test("loses nothing where single calls fail at random moments, and the power in the end")
  func storm() throws {
    let seed = Effort.seed()
    var random = SeededRandom(seed: seed)
    let stage = try FaultStage()
    let senders = stage.traffic.begin(to: [stage.installation.ports.receiver])
    var hit = 0
    for _ in 0..<Effort.pick(25, long: 400) {
      let call = [FaultControl.Call.write, .sync, .sync, [.write, .truncate, .open]].randomElement(using: &random)!
      let file = [FaultControl.File.log, .logWAL, .logWAL, .logWAL, .logSharedMemory, .bell, .state, .stateWAL]
        .randomElement(using: &random)!
      let error = [EIO, ENOSPC, EMFILE].randomElement(using: &random)!
      stage.control.set(
        .fail(errno: error), call, of: file, skip: Int.random(in: 0...8, using: &random),
        times: Int.random(in: 1...3, using: &random))
      let deadline = MonotonicClock.milliseconds() + 150
      while stage.control.hits() == 0, MonotonicClock.milliseconds() < deadline { usleep(2_000) }
      if stage.control.hits() > 0 { hit += 1 }
      // The rest of the times that it fails.
      usleep(UInt32.random(in: 0...60_000, using: &random))
      stage.control.clear()
      // Now and then the process comes back to files that a fault has left, or dies with them.
      if random.isOne(in: 12) {
        PowerCutRecording.kill(stage.receiver, recording: stage.recording)
        try stage.receiver.startAndWait()
      }
    }
    // What was refused is posted until it is taken, and that it is.
    stage.traffic.stop(senders)
    stage.traffic.post(40, to: [stage.installation.ports.receiver])
    let tally = stage.traffic.tally
    #expect(tally.wrong.isEmpty && tally.withoutRetryAfter == 0)
    #expect(stage.receiver.endedByItself.isEmpty)
    #expect(hit > 5 && tally.acknowledged.count > 100)
    #expect(stage.control.trustedAgain == 0)
    let failed = stage.control.failedSyncs
    let faults = try stage.cutsThatLose(seed: seed, Effort.pick(20, long: 200))
    print(
      "FaultyDiskTests, seed \(seed): \(hit) rules met, \(failed) syncs failed, \(tally.acknowledged.count) acknowledged, "
        + "\(tally.unavailable) unavailable")
    #expect(faults.isEmpty, "\(faults.count), seed \(seed): \(faults.prefix(3))")
  }

  /// A sync that fails once: what was written before it can be read from then on and is on no disk. Whoever posts the
  /// notification again must not be told that it is stored until it is.
  @Test("never takes for stored what a failed sync left in memory only", arguments: [false, true])
  func unsyncedCommit(startsAnew: Bool) throws {
    let stage = try FaultStage()
    stage.traffic.post(10, to: [stage.installation.ports.receiver])
    stage.control.set(.fail(errno: EIO), .sync, of: .logWAL, times: 1)
    #expect(try stage.postOne(2_000).status == 503)
    #expect(stage.control.failedSyncs == 1)
    stage.control.clear()
    if startsAnew {
      // The next process recovers the write-ahead log from what it reads, the unsynced commit with it.
      stage.receiver.stop()
      try stage.receiver.startAndWait()
    }
    #expect(try stage.postOne(2_000).status == 200)
    #expect(stage.control.trustedAgain == 0)
    let faults = try stage.cutsThatLose(seed: 0, 0)
    #expect(faults.isEmpty, "\(faults)")
  }

  /// Another process stands still in its turn.
  @Test("answers 503 while another process holds the gate, and goes on when it lets go")
  func stuckGate() throws {
    let stage = try FaultStage()
    stage.traffic.post(10, to: [stage.installation.ports.receiver])
    let gate = open(stage.installation.data + "/events.gate", O_RDWR | O_CLOEXEC)
    #expect(gate >= 0 && flock(gate, LOCK_EX) == 0)
    let end = MonotonicClock.milliseconds() + Effort.pick(4_500, long: 10_000)
    let senders = stage.traffic.begin(to: [stage.installation.ports.receiver])
    let before = stage.traffic.tally.acknowledged
    while MonotonicClock.milliseconds() < end { usleep(50_000) }
    let (status, text) = stage.readiness()
    #expect(status == 503)
    #expect(text.contains("the log takes nothing"), "\(text)")
    let meanwhile = stage.traffic.tally
    #expect(meanwhile.acknowledged.subtracting(before).isSubset(of: meanwhile.parked), "nothing is promised")
    #expect(meanwhile.unavailable > 0 && meanwhile.withoutRetryAfter == 0)
    close(gate)
    stage.traffic.stop(senders)
    stage.traffic.post(20, to: [stage.installation.ports.receiver])
    #expect(try stage.postOne(3_000).status == 200)
    #expect(stage.readiness().status == 200)
    let faults = try stage.cutsThatLose(seed: Effort.seed(), 5)
    #expect(faults.isEmpty, "\(faults)")
  }

  /// Nothing can be opened and no connection accepted; what is open goes on as far as it can.
  @Test("survives having no descriptors left")
  func noDescriptors() throws {
    let stage = try FaultStage()
    let port = [stage.installation.ports.receiver]
    stage.traffic.post(10, to: port)
    let senders = stage.traffic.begin(to: port)
    let id = try #require(stage.receiver.id)
    func allow(_ descriptors: String) throws {
      #expect(try run("/usr/bin/env", ["prlimit", "--pid", "\(id)", "--nofile=\(descriptors):"]).code == 0)
    }
    let limits = String(decoding: try #require(Project.bytes("/proc/\(id)/limits")), as: UTF8.self)
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
    let before = String(try #require(line.split(separator: " ").dropFirst(3).first))
    for _ in 0..<Effort.pick(3, long: 20) {
      try allow("8")
      // The log is opened anew just then.
      stage.control.set(.fail(errno: EIO), .sync, of: .logWAL, times: 1)
      usleep(300_000)
      try allow(before)
      stage.control.clear()
      usleep(100_000)
    }
    stage.traffic.stop(senders)
    stage.traffic.post(20, to: port)
    #expect(try stage.postOne(3_001).status == 200)
    #expect(stage.readiness().status == 200)
    let tally = stage.traffic.tally
    #expect(tally.wrong.isEmpty && tally.withoutRetryAfter == 0 && tally.unavailable > 0)
    #expect(stage.receiver.endedByItself.isEmpty)
    let faults = try stage.cutsThatLose(seed: Effort.seed(), 5)
    #expect(faults.isEmpty, "\(faults)")
  }

  @Test("keeps the order and all that it promised when the clock jumps")
  func clockJumps() throws {
    let now = WallClock.system.now()
    let folder = TemporaryFolder()
    var installation = try Installation(in: folder.path, production: 1, sandbox: 1)
    let receiver = try installation.program("refund-receiver")
    defer { receiver.kill() }
    let traffic = NoticeTraffic(installation)
    let day: Int64 = 86_400_000
    for jump in [0, -400 * day, 30 * day, -day, 3_650 * day, 0] {
      installation.settings["clock"] = [
        "start": .number(JSONNumber(now + jump)), "since": .number(JSONNumber(now)),
      ]
      try installation.write()
      try receiver.startAndWait()
      traffic.post(10, to: [installation.ports.receiver])
      receiver.kill()
    }
    let left = SurvivingFolder(installation.data)
    #expect(left.fault == nil)
    #expect(left.missing(of: traffic.tally.acknowledged).isEmpty && traffic.tally.acknowledged.count == 60)
    #expect(traffic.tally.wrong.isEmpty)
  }
}

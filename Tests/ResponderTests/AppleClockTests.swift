import Service
import Testing

@testable import Responder

@Suite("The clock that deadlines go by") struct AppleClockTests {
  private static let start = Story.start
  private static let hour = Story.hour

  private struct Stage {
    let time = ResponderRig.SetClock(start)
    let lines = Monitor<[String]>([])
    let clock: AppleClock

    init() {
      let lines = lines
      clock = AppleClock(
        time.wall, steady: time.steady,
        logger: Logger(format: .json, clock: .system) { line in lines.change { $0.append(line) } })
    }

    func pass(_ milliseconds: Int64) { time.set(time.trueTime + milliseconds) }

    /// A reply of Apple's, whose clock is right.
    func reply(after milliseconds: Int64 = 60) {
      let mark = clock.mark()
      let written = time.trueTime
      pass(milliseconds)
      clock.note(written - written % 1000, since: mark)
    }

    func said(_ words: String) -> Int { lines.withLock { $0.filter { $0.contains(words) }.count } }
  }

  @Test("is the machine's own while Apple says nothing else") func own() {
    let stage = Stage()
    #expect(stage.clock.now() == Self.start)
    #expect(stage.clock.offset == nil && !stage.clock.isDoubtful && !stage.clock.asksForReply)
    for _ in 0..<5 { stage.reply() }
    #expect(stage.clock.now() == stage.time.trueTime && stage.clock.offset == 0)
    #expect(stage.clock.changes == 0)
    #expect(stage.lines.withLock { $0.isEmpty })
  }

  @Test("is put right by replies that agree, and says so once", arguments: [40_000, -90_000]) func skewed(wrong: Int64)
  {
    let stage = Stage()
    stage.time.isWrong(by: wrong)
    stage.reply()
    for _ in 0..<5 {
      stage.pass(1_337)
      stage.reply()
    }
    #expect(abs(stage.clock.now() - stage.time.trueTime) < 1_000)
    #expect(abs(stage.clock.wall.now() - stage.time.trueTime) < 1_000)
    #expect(abs(stage.clock.offset! + wrong) < 1_000)
    #expect(stage.said("clock is wrong by Apple's replies") == 1)
    #expect(stage.said(wrong > 0 ? "ahead" : "behind") == 1)
    // It is mended.
    stage.time.isWrong(by: 0)
    #expect(stage.clock.now() == stage.time.trueTime, "what was known of it counts for nothing")
    for _ in 0..<4 {
      stage.pass(1_337)
      stage.reply()
    }
    #expect(stage.said("agrees with Apple's again") == 1)
  }

  @Test("does not ask before there is a reason, and asks until replies agree") func asking() {
    let stage = Stage()
    stage.reply()
    stage.time.isWrong(by: 10_000)
    _ = stage.clock.now()
    #expect(!stage.clock.asksForReply, "a small jump does not make it doubtful")
    for _ in 0..<2 {
      stage.reply()
      #expect(stage.clock.asksForReply)
    }
    stage.reply()
    #expect(!stage.clock.asksForReply)
  }

  @Test(
    "is doubtful after a jump of over five minutes, until a reply tells the time", arguments: [13 * hour, -13 * hour])
  func jump(by wrong: Int64) {
    let stage = Stage()
    for _ in 0..<3 { stage.reply() }
    stage.time.isWrong(by: wrong)
    #expect(stage.clock.isDoubtful)
    #expect(stage.said("has jumped") == 1)
    let changes = stage.clock.changes
    // One reply says that it is wrong, which is not enough to put it right.
    stage.reply()
    #expect(stage.clock.isDoubtful && stage.clock.now() == stage.time.trueTime + wrong)
    stage.reply()
    stage.reply()
    #expect(!stage.clock.isDoubtful && abs(stage.clock.now() - stage.time.trueTime) < 1_000)
    #expect(stage.clock.changes > changes)
    #expect(stage.said("have told the time") == 1)
  }

  @Test("is certain again with one reply where the jump put it right") func mended() {
    let stage = Stage()
    stage.time.isWrong(by: 13 * Self.hour)
    _ = stage.clock.now()
    stage.time.isWrong(by: 0)
    #expect(stage.clock.isDoubtful)
    stage.reply()
    #expect(!stage.clock.isDoubtful && stage.clock.now() == stage.time.trueTime)
  }

  @Test("is doubtful after a small jump too, where it was known to be far off") func farOff() {
    let stage = Stage()
    stage.time.isWrong(by: 8 * Self.hour)
    for _ in 0..<5 {
      stage.pass(1_337)
      stage.reply()
    }
    #expect(!stage.clock.isDoubtful && abs(stage.clock.now() - stage.time.trueTime) < 1_000)
    stage.time.isWrong(by: 8 * Self.hour - 60_000)
    #expect(stage.clock.isDoubtful)
    for _ in 0..<5 {
      stage.pass(1_337)
      stage.reply()
    }
    #expect(!stage.clock.isDoubtful && abs(stage.clock.now() - stage.time.trueTime) < 1_000)
  }

  @Test("takes nothing from a reply that was under way when the clock jumped") func underWay() {
    let stage = Stage()
    let mark = stage.clock.mark()
    stage.time.isWrong(by: 13 * Self.hour)
    stage.pass(100)
    stage.clock.note(stage.time.trueTime, since: mark)
    #expect(stage.clock.isDoubtful && stage.clock.newest == nil)
    stage.clock.note(nil, since: stage.clock.mark())
    #expect(stage.clock.newest == nil)
  }

  @Test("is not fooled by a thread that waited between two looks, nor by a jump of five minutes less one") func border()
  {
    let stage = Stage()
    _ = stage.clock.now()
    stage.time.isWrong(by: 299_999)
    #expect(!stage.clock.isDoubtful)
    stage.time.isWrong(by: 599_999)
    #expect(stage.clock.isDoubtful)
  }

  @Test("that runs faster jumps only where the machine's does") func scaled() {
    let time = ResponderRig.SetClock(Self.start)
    let clock = AppleClock(
      .scaled(start: 0, since: Self.start, speed: 1_000, base: time.wall), steady: time.steady,
      logger: ResponderRig.silent)
    for step in 1..<50 {
      time.set(Self.start + Int64(step) * 10_000)
      #expect(clock.now() == Int64(step) * 10_000_000)
    }
    #expect(clock.changes == 0)
    time.isWrong(by: 400_000)
    #expect(clock.isDoubtful)
  }
}

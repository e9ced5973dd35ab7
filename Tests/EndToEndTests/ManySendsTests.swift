import Contracts
import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// The responder sends for a long time to an App Store that drops one connection in twenty: before it has looked at the
/// call, or after it has taken it and before its reply.
@Suite("Very many answers one after the other", .serialized)
struct ManySendsTests {
  private static let window: Int64 = 12 * 3_600_000 - 600_000
  private static let senders = 16

  private let count = Effort.pick(240, long: 50_000)
  /// After so many the program has seen everything once.
  private let warmUp = Effort.pick(120, long: 5_000)
  /// Requests that wait for their answer at once.
  private let waitingMax = Effort.pick(50, long: 400)

  /// What the log says of the answers so far.
  private struct Story {
    var sent = 0
    var claims: [String: Int64] = [:]
    var faults: [String] = []

    mutating func take(_ event: RecordedEvent) throws {
      let data = try #require(event.data)
      switch event.type {
      case EventType.consumptionPrepared.rawValue:
        let prepared = try ConsumptionPrepared(data: data)
        if prepared.late { faults.append("\(event.stream) was claimed late") }
        claims[event.id.text] = prepared.sendBy
      case EventType.consumptionSent.rawValue:
        let answer = try ConsumptionSent(data: data)
        sent += 1
        guard let sendBy = claims.removeValue(forKey: answer.claim) else {
          return faults.append("\(event.stream) was sent without a claim")
        }
        if answer.sentAt >= sendBy { faults.append("\(event.stream) was sent after its claim had grown too old") }
      case EventType.consumptionFailed.rawValue:
        let failed = try ConsumptionFailed(data: data)
        if claims.removeValue(forKey: failed.claim) == nil { faults.append("\(event.stream) failed without a claim") }
        // Connections end: each call's result is known at once.
        if failed.explanation.contains("no result was recorded") { faults.append("\(event.stream) got no result") }
      case EventType.consumptionWithheld.rawValue: faults.append("\(event.stream) was withheld")
      default: break
      }
    }
  }

  @Test("keep every deadline, and take no more memory, threads and files than the first ones", .timeLimit(.minutes(15)))
  func sends() throws {
    let seed = Effort.seed()
    print("many sends: seed \(seed)")
    let random = Monitor(SeededRandom(seed: seed))
    let appStore = WatchedAppStore {
      random.withLock { random in
        guard random.isOne(in: 20) else { return .judged(afterMilliseconds: 0) }
        return Bool.random(using: &random) ? .dropped : .replyLost(afterMilliseconds: 0)
      }
    }
    defer { appStore.stop() }
    let folder = TemporaryFolder()
    var installation = try Installation(in: folder.path, production: appStore.port, sandbox: appStore.port)
    var settings = try #require(installation.settings["responder"]?.object)
    settings["senders"] = .number(JSONNumber(Int64(Self.senders)))
    installation.settings["responder"] = .object(settings)
    let receiver = try installation.program("refund-receiver")
    let responder = try installation.program("refund-responder")
    defer { for program in [responder, receiver] { program.kill() } }
    try receiver.startAndWait()
    try responder.startAndWait()
    let id = try #require(responder.id)
    // Each is due two minutes after it was posted.
    let post = RequestPost(to: installation) {
      String(2_000_000_000_000_000 + $0)
    } signedAt: { _ in
      WallClock.system.now() + 120_000 - Self.window
    }
    var tail = try LogTail(installation.data)
    var story = Story()
    let began = MonotonicClock.milliseconds()
    func answer(upTo goal: Int, of released: Int) throws {
      var newestAt = MonotonicClock.milliseconds()
      while story.sent < goal {
        post.release(min(released, story.sent + waitingMax))
        let news = try tail.news()
        for event in news where event.type.hasPrefix("Consumption") { try story.take(event) }
        if news.isEmpty {
          try #require(MonotonicClock.milliseconds() - newestAt < 60_000, "nothing has come into the log for a minute")
        } else {
          newestAt = MonotonicClock.milliseconds()
        }
        usleep(20_000)
      }
    }

    try answer(upTo: warmUp, of: warmUp)
    let warm = try ProcessFigures(of: id)
    let warmConnections = appStore.connections
    print("many sends: warm after \(story.sent), \(MonotonicClock.milliseconds() - began) ms: \(warm)")
    for part in 1...10 {
      try answer(upTo: warmUp + (count - warmUp) * part / 10, of: count)
      print("many sends: \(story.sent), \(MonotonicClock.milliseconds() - began) ms: \(try ProcessFigures(of: id))")
    }
    let end = try ProcessFigures(of: id)
    let endConnections = appStore.connections
    let refused = post.end()
    #expect(refused == [])
    let calls = appStore.calls

    #expect(end.residentKiB < warm.residentKiB + 5 * 1_024)
    #expect(end.threads == warm.threads)
    // Each sender has one connection or none; whatever the App Store has closed is closed here too.
    #expect(end.openFiles - endConnections <= warm.openFiles - warmConnections + 2)
    #expect(endConnections <= Self.senders)
    #expect(story.faults == [])
    #expect(story.claims.isEmpty)
    #expect(responder.isRunning && responder.id == id)
    #expect(calls.count > count, "calls that came to nothing were made again")
    #expect(Set(calls.map(\.transactionID)).count == count)
    // What was taken is not said again, unless its reply was lost.
    let told = Dictionary(grouping: calls, by: \.transactionID)
    for (id, calls) in told { #expect(calls.dropLast().allSatisfy { !$0.isReplied }, "\(id)") }
  }
}

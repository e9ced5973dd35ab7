import EventLog
import Glibc
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// The invariants of the whole, by real processes that die at any moment.
@Suite("Services that are killed at random moments", .serialized)
struct RandomKillTests {
  @Test(
    "lose nothing, answer everything once per claim, and are rebuilt from the log alone", .timeLimit(.minutes(5)),
    arguments: [(requests: 500, ofEach: 1), (requests: 120, ofEach: 2)])
  func story(requests: Int, ofEach: Int) throws {
    let seed = Effort.seed()
    let folder = TemporaryFolder()
    let story = try KillStory(
      in: folder.path, .init(requests: requests, killsOfEach: 25 / ofEach, ofEach: ofEach, seed: seed))
    defer { story.stop() }
    let began = MonotonicClock.milliseconds()
    func say(_ words: String) {
      print("RandomKillTests, seed \(seed), \((MonotonicClock.milliseconds() - began) / 1000) s: \(words)")
    }

    say("begins; REFUNDLOG_SEED=\(seed) draws the same numbers again")
    try story.arriveUnderFire()
    #expect(story.refused.isEmpty)
    say("\(story.asks.count) requests acknowledged, \(story.postedAgain) posted again, \(story.kills) kills")
    var audit = LogAudit()
    let log = try LocalEventLog.reading(story.installation.data)
    try audit.advance(log)
    try checkNotifications(story, audit)
    let left = audit.openRequests
    try story.aMinuteLater(killing: 8)
    try story.aMinuteLater(killing: 0)
    try settle(&audit, log, until: "whatever can be answered is") { audit in
      audit.requests.values.allSatisfy { $0.hasEnded || $0.claims.isEmpty }
        && story.asks.allSatisfy {
          !$0.kind.isAnswerable || audit.requests["notification/\($0.uuid)"]?.hasEnded == true
        }
    }
    let answered = story.appStore.calls.count
    say("\(left) were open then, \(answered) calls in all, \(story.kills) kills")
    try story.theNextDay(killing: 4)
    try settle(&audit, log, until: "everything has ended") { $0.isSettled }
    story.stopServices()
    try audit.advance(log)
    let calls = story.appStore.calls
    let unknown = audit.requests.values.flatMap(\.claims).count { $0.results.contains("unknown") }
    say("all ended: \(calls.count) calls, \(audit.position) events, \(unknown) claims unknown, \(story.kills) kills")

    #expect(story.endedByItself.isEmpty)
    #expect(story.kills >= 2 * ofEach * story.plan.killsOfEach)
    #expect(calls.count == answered, "nothing was sent when the windows had closed")
    // The test is worth nothing where no kill hit a call.
    #expect(unknown > 0)
    #expect(audit.evidence == story.count(.withEvidence) && story.evidenceTaken == audit.evidence)
    #expect(audit.outcomes.count == story.asks.count { $0.decision != nil })
    #expect(audit.outcomes.values.allSatisfy { $0 == 1 })
    try checkAnswers(story, audit, calls)
    try checkReplay(story, log)
    for output in story.outputs {
      let lines = String(decoding: Project.bytes(output) ?? [], as: UTF8.self)
      #expect(
        !lines.isEmpty && !lines.contains("eyJ") && !lines.contains("0123456789abcdef"), "\(output) has no secret")
    }
    let (code, proof) = try run("\(Programs.folder)/refundlog", ["log", "verify", "--data", story.installation.data])
    #expect(code == 0, "\(proof)")
  }

  private func settle(
    _ audit: inout LogAudit, _ log: LocalEventLog, until what: String, _ holds: (LogAudit) -> Bool
  ) throws {
    let deadline = MonotonicClock.milliseconds() + 90_000
    while !holds(audit) {
      let open = audit.requests.values.filter { !$0.hasEnded }.map { "\($0)" }.sorted()
      try #require(
        MonotonicClock.milliseconds() < deadline,
        "\(what): not within 90 s; \(open.count) are open, such as \(open.prefix(2))")
      usleep(50_000)
      try audit.advance(log)
    }
  }

  /// Each exactly once, and every acknowledged one is there.
  private func checkNotifications(_ story: KillStory, _ audit: LogAudit) throws {
    let posted = Set(story.asks.flatMap { [$0.uuid] + ($0.decision.map { [$0.uuid] } ?? []) })
    let kept = Set(audit.notifications)
    #expect(story.acknowledged == posted)
    let missing = posted.map { "notification/\($0)" }.filter { !kept.contains($0) }.sorted()
    // The rest of the story rests on them.
    try #require(missing.isEmpty, "acknowledged and not in the log: \(missing.count), such as \(missing.prefix(3))")
    #expect(audit.notifications.count == kept.count && kept.count == posted.count)
  }

  /// By the log, and by the App Store's own record.
  private func checkAnswers(_ story: KillStory, _ audit: LogAudit, _ calls: [WatchedAppStore.Call]) throws {
    #expect(audit.violations.isEmpty)
    #expect(audit.faults(of: calls).isEmpty)
    let accepted = Set(calls.filter { $0.status == 202 }.map(\.transactionID))
    let called = Set(calls.map(\.transactionID))
    for ask in story.asks {
      let request = try #require(audit.requests["notification/\(ask.uuid)"])
      let words: Comment = "\(ask.kind) \(ask.transactionID), seed \(story.plan.seed)"
      // One that Apple decided before an answer was possible ends so, whatever its kind.
      if ask.decision != nil, request.withheld == "alreadyDecided" { continue }
      switch ask.kind {
      case .plain, .withEvidence:
        #expect(request.isAnswered && accepted.contains(ask.transactionID), words)
      case .familyShared: #expect(request.withheld == "notAnswerable", words)
      case .beforeTheTerms, .ofNobody, .withdrawn: #expect(request.withheld == "noConsent", words)
      }
      if !ask.kind.isAnswerable { #expect(!called.contains(ask.transactionID), words) }
    }
    #expect(calls.allSatisfy { $0.method == .put && [202, 500].contains($0.status) })
  }

  /// The whole log into an empty projection: the same rows, and not one call.
  private func checkReplay(_ story: KillStory, _ log: LocalEventLog) throws {
    let projected = Projected(data: story.installation.data)
    let lived = try projected.rows()
    let bookmark = try #require(lived.first { $0.hasPrefix("bookmark:") })
    let (head, calls) = (try log.head(), story.appStore.calls.count)
    try story.startResponderAnew()
    let deadline = MonotonicClock.milliseconds() + 30_000
    // Absent at first: the responder makes its tables once it has the lead.
    while (try? projected.rows().contains(bookmark)) != true, MonotonicClock.milliseconds() < deadline {
      usleep(50_000)
    }
    // Longer than the loop sleeps between two looks.
    usleep(1_500_000)
    story.stopServices()
    let replayed = try projected.rows()
    #expect(!lived.contains { $0.hasPrefix("stuck:") })
    #expect(replayed.count == lived.count && lived.count > story.asks.count)
    for (one, other) in zip(lived, replayed) where one != other {
      Issue.record("lived through: \(one)\nreplayed: \(other)")
      break
    }
    #expect(story.appStore.calls.count == calls)
    #expect(try log.head() == head)
  }
}

import EventLog
import Glibc
import Service
import TestSupport
import Testing

@testable import Operations

/// Promise 21: receiver and responder upgrade apart.
@Suite("Two builds over one log", .serialized) struct UpgradeTests {
  @Test(
    "take over from each other under load, each kind alone: nothing is lost, nothing stops, and what a later release writes is passed over",
    .timeLimit(.minutes(14)))
  func story() throws {
    // The short form is this build beside itself; the long one an earlier build beside this one.
    let earlier = Effort.isLong ? try EarlierBuild.programs() : Programs.folder
    let folder = TemporaryFolder()
    let began = MonotonicClock.milliseconds()
    let story = try UpgradeStory(in: folder.path, earlier: earlier)
    defer { story.stop() }
    func say(_ words: String) {
      print(
        "UpgradeTests, \((MonotonicClock.milliseconds() - began) / 1000) s: \(words), \(story.acknowledged.count) taken"
      )
    }
    let count = Effort.pick(15, long: 150)
    story.startPosting()
    try story.take(count)
    say("the earlier receiver and the earlier responder")
    try story.hand(overTo: story.receivers.later, from: story.receivers.earlier)
    try story.take(count)
    say("the receiver is upgraded alone")
    try story.hand(overTo: story.responders.later, from: story.responders.earlier)
    try story.take(count)
    say("and the responder")
    try story.hand(overTo: story.receivers.earlier, from: story.receivers.later)
    try story.take(count)
    say("the receiver is as it was")
    try story.hand(overTo: story.responders.earlier, from: story.responders.later)
    try story.take(count)
    try story.hand(overTo: story.responders.later, from: story.responders.earlier)
    try story.take(count)
    say("the responder was as it was, and is upgraded again")
    story.stopPosting()

    var audit = LogAudit()
    let log = try LocalEventLog.reading(story.installation.data)
    let deadline = MonotonicClock.milliseconds() + 60_000
    repeat {
      try audit.advance(log)
      usleep(50_000)
    } while audit.openRequests > 0 && MonotonicClock.milliseconds() < deadline
    let passed = try story.figure("refundlog_unknown_events_total", at: story.responderPorts.later)
    let stuck = try story.figure("refundlog_stuck_events_total", at: story.responderPorts.later)
    say("\(story.appStore.calls.count) calls, \(story.unknownEvents) unknown events, silent \(story.longestSilence) ms")
    story.stop()
    try audit.advance(log)

    #expect(story.endedByItself.isEmpty && story.refused.isEmpty)
    #expect(story.missed.isEmpty, "a receiver that ran all the while did not take: \(story.missed.prefix(3))")
    #expect(Set(audit.notifications) == Set(story.acknowledged.map { "notification/\($0)" }))
    #expect(audit.notifications.count == story.acknowledged.count && story.acknowledged.count > 6 * count)
    let unanswered = audit.requests.filter { !$0.value.isAnswered }
    #expect(unanswered.isEmpty, "\(unanswered.count) of \(audit.requests.count): \(unanswered.prefix(2))")
    #expect(audit.violations.isEmpty)
    #expect(audit.faults(of: story.appStore.calls).isEmpty)
    #expect(passed.map { $0 > 0 } == true && stuck == 0)
    // Once a claim: a hand-over may leave one without a result, never two calls for one.
    let claims = audit.requests.values.flatMap(\.claims).count
    #expect(story.appStore.calls.count <= claims && claims <= audit.requests.count + 8)
    let (code, proof) = try run("\(Programs.folder)/refundlog", ["log", "verify", "--data", story.installation.data])
    #expect(code == 0, "\(proof)")
  }
}

import AppStore
import Contracts
import EventLog
import HTTPClient
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("After a restore", .timeLimit(.minutes(5))) struct RestoreTests {
  private static let start = Story.start
  private static let closed = start + 12 * Story.hour

  /// A request with everything there to answer it.
  private func ready(_ story: Story = Story()) throws -> Story {
    try story.policy()
    try story.evidence(Story.facts)
    try story.consent(true)
    try story.request()
    return story
  }

  // MARK: The judge

  @Test("an open request waits for a person to resume, until its window closes") func waits() throws {
    let story = try ready()
    _ = try story.nextClaim()
    try story.restored()
    #expect(try story.step() == .rest(.resumption, until: Self.closed))
    #expect(try story.step(at: Self.closed - 1) == .rest(.resumption, until: Self.closed))
    try story.resumed()
    _ = try story.nextClaim()
    try story.restored()
    #expect(try story.step() == .rest(.resumption, until: Self.closed), "each restore pauses anew")
  }

  @Test("what lacks a consent waits for that as before") func consent() throws {
    let story = Story()
    try story.policy()
    try story.request()
    try story.restored()
    #expect(try story.step() == .rest(.consent, until: Self.closed))
  }

  @Test("one that could be answered after the backup says so in its claim; others do not") func claims() throws {
    let story = try ready()
    try story.restored(at: Self.start + 5, backupAt: Self.start + 1)
    try story.resumed()
    let words = try story.nextClaim(at: Self.start + 6).prepared.sources["restore"]
    #expect(
      words == "it may have been answered before: what was sent to Apple between the backup of "
        + "2026-11-30T00:53:20.001Z and its restore on 2026-11-30T00:53:20.005Z is not known")
    // Nobody had heard of it before the restore.
    let later = try ready(Story(transactionID: "2"))
    try later.restored(at: Self.start - 1, backupAt: Self.start - 2)
    try later.resumed()
    #expect(try later.nextClaim().prepared.sources["restore"] == nil)
  }

  @Test("one that was signed before the restore and came after it may have come, and been answered, before too")
  func comesAgain() throws {
    let story = Story()
    try story.policy()
    try story.evidence(Story.facts)
    try story.consent(true)
    try story.restored(at: Self.start + 5, backupAt: Self.start - 1)
    try story.resumed()
    try story.request(signedAt: Self.start + 2, receivedAt: Self.start + 9)
    #expect(try story.nextClaim(at: Self.start + 9).prepared.sources["restore"] != nil)
  }

  @Test("a claim without a result in the backup counts as unknown while sending is paused, and is made anew after it")
  func openClaim() throws {
    let story = try ready()
    let prepared = try story.nextClaim().prepared
    try story.claim(prepared)
    try story.restored()
    let unknownAt = prepared.sendBy + 35_000
    #expect(try story.step() == .rest(.appStore, until: unknownAt))
    guard case .settleUnknown = try story.step(at: unknownAt) else {
      Issue.record("settled as unknown")
      return
    }
    try story.failed(prepared, .unknown, retryAt: unknownAt)
    #expect(try story.step(at: unknownAt) == .rest(.resumption, until: Self.closed))
    try story.resumed()
    #expect(try story.nextClaim(at: unknownAt).prepared.attempt == 2)
  }

  @Test("an answered one is not told anew before sending goes on") func answered() throws {
    let story = try ready()
    let prepared = try story.nextClaim().prepared
    try story.claim(prepared)
    try story.sent(prepared)
    try story.restored()
    try story.evidence(Story.facts(share: 5_000))
    let now = Self.start + AnswersAgain.apart
    #expect(try story.step(at: now) == .rest(.resumption, until: Self.closed))
    try story.resumed()
    // Its answer is in the backup: nothing about it is unknown.
    #expect(try story.nextClaim(at: now).prepared.sources["restore"] == nil)
  }

  @Test("one whose window closes while it waits ends, with what is not known in words") func expires() throws {
    let story = try ready()
    try story.restored(at: Self.start + 5, backupAt: Self.start + 1)
    guard case .withhold(let withheld) = try story.step(at: Self.closed) else {
      Issue.record("withheld")
      return
    }
    #expect(withheld.reason == .expired)
    #expect(withheld.explanation.hasPrefix("nothing was sent within 12 hours of its receipt; what was sent to Apple"))
    try story.add(withheld, .withheld, to: story.stream)
    guard case .rest(nil, nil) = try story.step(at: Self.closed) else {
      Issue.record("ended")
      return
    }
  }

  // MARK: The loop

  @Test("nothing is sent until sending is resumed, whoever starts meanwhile; the log says what is not known")
  func loop() throws {
    let rig = try ResponderRig(ready(Story(environment: "Sandbox")))
    try rig.story.restored(at: Self.start + 1)
    try rig.start()
    try rig.settle()
    rig.stop()
    try rig.start(claimant: "second")
    try rig.settle()
    #expect(rig.appStore.answers.isEmpty)
    #expect(try rig.events(.consumptionPrepared).isEmpty)
    try rig.story.resumed()
    try rig.wait(for: .consumptionSent)
    #expect(rig.appStore.answers.count == 1)
    let claim = try ConsumptionPrepared(data: rig.events(.consumptionPrepared)[0].data!)
    #expect(claim.sources["restore"] != nil)
  }

  @Test("a claim that was decided before it does not get in, and one that got in is not sent") func race() throws {
    let rig = try ResponderRig(ready(Story(environment: "Sandbox")))
    let claim = try rig.story.nextClaim()
    let draft = EventDraft(
      claim.prepared, id: EventIDs.claim(rig.story.key, attempt: 1), stream: rig.story.stream, app: Story.bundleID,
      occurredAt: Self.start)
    let won = WonClaim(
      state: try rig.story.state(), prepared: claim.prepared, id: draft.id.text,
      position: try rig.story.log.head().position,
      streams: Set(claim.expecting.keys), environment: .sandbox, tokens: try ResponderRig.tokens())
    try rig.story.restored()
    guard case .conflict(StreamName("log"), 1) = try rig.story.log.append([draft], expecting: claim.expecting) else {
      Issue.record("a conflict")
      return
    }
    try rig.call().make(won)
    #expect(rig.appStore.answers.isEmpty)
    let failed = try ConsumptionFailed(data: try #require(rig.events(.consumptionFailed).first?.data))
    #expect(failed.explanation.contains("LogRestored"))
  }
}

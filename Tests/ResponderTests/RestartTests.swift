import AppStore
import Contracts
import EventLog
import Glibc
import HTTPClient
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("A restart forgets nothing", .timeLimit(.minutes(5))) struct RestartTests {
  private static let start = Story.start

  private func ready(_ rig: ResponderRig) throws {
    try rig.story.policy()
    try rig.story.evidence(Story.facts)
    try rig.story.consent(true)
    try rig.story.request()
  }

  @Test("between the request and the consent") func beforeConsent() throws {
    let rig = try ResponderRig()
    try rig.story.policy()
    try rig.story.evidence(Story.facts)
    try rig.story.request()
    try rig.start()
    try rig.settle()
    rig.stop()
    try rig.story.consent(true)
    try rig.start(claimant: "second")
    try rig.wait(for: .consumptionSent)
    #expect(try ConsumptionPrepared(data: rig.events(.consumptionPrepared)[0].data!).claimant == "second")
    #expect(rig.appStore.answers.count == 1)
  }

  @Test("between claim and result: it counts as unknown first, then it is claimed anew") func afterClaim() throws {
    let rig = try ResponderRig()
    try ready(rig)
    // The process that claimed is gone.
    let prepared = try rig.story.nextClaim().prepared
    try rig.story.claim(prepared)
    try rig.start(claimant: "second")
    try rig.settle()
    try rig.set(prepared.sendBy + 34_999)
    try rig.settle()
    #expect(rig.appStore.answers.isEmpty)
    try rig.set(prepared.sendBy + 35_000)
    let unknown = try rig.wait(for: .consumptionFailed)[0]
    #expect(unknown.id.text == "unknown/Sandbox/2000000000000001/1")
    #expect(try ConsumptionFailed(data: unknown.data!).failure == .unknown)
    let sent = try rig.wait(for: .consumptionSent)[0]
    #expect(sent.id.text == "sent/Sandbox/2000000000000001/2")
    #expect(rig.appStore.answers.count == 1)
  }

  @Test("a claim of another process may be under way, whatever that one's clock said: it is given its time here")
  func otherClock() throws {
    let rig = try ResponderRig()
    try ready(rig)
    try rig.story.claim(try rig.story.nextClaim().prepared)
    // By this clock it ended long ago.
    let now = Self.start + 2 * Story.hour
    try rig.set(now)
    try rig.start(claimant: "second")
    try rig.settle()
    try rig.set(now + 54_999)
    try rig.settle()
    #expect(rig.appStore.answers.isEmpty)
    #expect(try rig.events(.consumptionFailed).isEmpty)
    try rig.set(now + 55_000)
    try rig.wait(for: .consumptionSent)
    #expect(rig.appStore.answers.count == 1)
  }

  @Test("between a failure and its next attempt") func afterFailure() throws {
    let rig = try ResponderRig(replies: [.status(500)])
    try ready(rig)
    try rig.start()
    try rig.wait(for: .consumptionFailed)
    rig.stop()
    try rig.start(claimant: "second")
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
    try rig.set(Self.start + 2_000)
    try rig.wait(for: .consumptionSent)
    #expect(rig.appStore.answers.count == 2)
  }

  @Test("after the answer, and before the decision is told") func afterAnswer() throws {
    let rig = try ResponderRig()
    try ready(rig)
    try rig.start()
    try rig.wait(for: .consumptionSent)
    rig.stop()
    try rig.story.notification("REFUND", signedAt: Self.start + 1)
    try rig.start(claimant: "second")
    try rig.wait(for: .outcome)
    rig.stop()
    try rig.start(claimant: "third")
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
    #expect(try rig.events(.outcome).filter { $0.stream == rig.story.stream }.count == 1)
  }

  @Test("and while another leads it waits with a warm projection, and acts when that one goes") func leadership()
    throws
  {
    let rig = try ResponderRig()
    var other = rig.takeLead()
    #expect(other?.hold() == true)
    try rig.start()
    try ready(rig)
    try rig.waitUntilFollowed()
    // A responder that acts has done what is due before it reads what comes next.
    for _ in 0..<3 {
      try rig.set(Self.start)
      try rig.waitUntilFollowed()
    }
    #expect(rig.appStore.answers.isEmpty)
    #expect(try rig.events(.consumptionPrepared).isEmpty)
    other = nil
    try rig.wait(for: .consumptionSent)
    #expect(rig.appStore.answers.count == 1)
  }

  @Test("and while another writes the projection of its version it leaves it alone, and does not lead") func writing()
    throws
  {
    let story = Story(environment: "Sandbox")
    let rig = try ResponderRig(story, log: ImpatientLog(log: story.log))
    var other: FileLock? = try FileLock(ProjectionFiles(folder: rig.folder.path).writerLock)
    #expect(other?.hold() == true)
    try ready(rig)
    // So often it looks whether it may, and does what it may do.
    try rig.run(questions: 30)
    #expect(try rig.projected() == -1)
    #expect(rig.takeLead()?.hold() == true, "who may not write does not lead: the one who may could else never act")
    #expect(try rig.events(.consumptionPrepared).isEmpty)
    other = nil
    try rig.start()
    try rig.wait(for: .consumptionSent)
  }

  @Test("and it leads only while its projection is there: as long as it is made another one may act") func making()
    throws
  {
    let story = Story(environment: "Sandbox")
    let log = HeldLog(story.log)
    let rig = try ResponderRig(story, log: log)
    try ready(rig)
    try rig.start()
    #expect(log.isAsked(), "the projection is being made")
    var other = rig.takeLead()
    #expect(other?.hold() == true, "nobody leads")
    log.letGo()
    try rig.waitUntilFollowed()
    #expect(rig.appStore.answers.isEmpty)
    other = nil
    try rig.wait(for: .consumptionSent)
    try rig.settle()
    // Taken away from the one that leads.
    log.holdAgain()
    ProjectionFiles(folder: rig.folder.path).discard()
    #expect(log.isAsked())
    #expect(rig.takeLead()?.hold() == true, "it gave the lead up")
    log.letGo()
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
  }

  @Test("and a projection that is taken away beside it is made anew") func removed() throws {
    let rig = try ResponderRig()
    try ready(rig)
    try rig.start()
    try rig.wait(for: .consumptionSent)
    try rig.settle()
    ProjectionFiles(folder: rig.folder.path).discard()
    try rig.waitUntilFollowed()
    try rig.settle()
    #expect(rig.appStore.answers.count == 1)
  }
}

@Suite("Between claim and call") struct AnswerCallTests {
  private func won(_ rig: ResponderRig) throws -> WonClaim {
    let story = rig.story
    try story.policy()
    try story.evidence(Story.facts)
    try story.consent(true)
    try story.request()
    let claim = try story.nextClaim()
    let state = try story.state()
    let id = try story.claim(claim.prepared)
    return WonClaim(
      state: state, prepared: claim.prepared, id: id, position: try story.log.head().position,
      streams: Set(claim.expecting.keys), environment: .sandbox, tokens: try ResponderRig.tokens())
  }

  private func failure(_ rig: ResponderRig) throws -> ConsumptionFailed {
    try ConsumptionFailed(data: #require(rig.events(.consumptionFailed).last?.data))
  }

  @Test("nothing happens, and the call is made") func call() throws {
    let rig = try ResponderRig()
    try rig.call().make(won(rig))
    #expect(rig.appStore.answers.count == 1)
    #expect(try rig.events(.consumptionSent).count == 1)
  }

  @Test("a withdrawal comes, and the call is not made") func withdrawal() throws {
    let rig = try ResponderRig()
    let claim = try won(rig)
    try rig.story.consent(false, statedAt: Story.start)
    try rig.call().make(claim)
    #expect(rig.appStore.answers.isEmpty)
    let failed = try failure(rig)
    #expect(failed.failure == .passing)
    #expect(failed.explanation.contains("not sent"))
    #expect(failed.status == nil)
    #expect(try rig.story.step() == .rest(.consent, until: Story.start + 12 * Story.hour))
  }

  @Test("Apple decides, and the call is not made") func decision() throws {
    let rig = try ResponderRig()
    let claim = try won(rig)
    try rig.story.notification("REFUND", signedAt: Story.start + 1)
    try rig.call().make(claim)
    #expect(rig.appStore.answers.isEmpty)
    #expect(try failure(rig).failure == .passing)
  }

  @Test("something else happens, and the call is made") func elsewhere() throws {
    let rig = try ResponderRig()
    let claim = try won(rig)
    try Story(environment: "Sandbox", transactionID: "5", log: rig.story.log).notification("REFUND", uuid: 5)
    try rig.call().make(claim)
    #expect(rig.appStore.answers.count == 1)
  }

  @Test("its time passes, and the call is not made") func tooOld() throws {
    let rig = try ResponderRig()
    let claim = try won(rig)
    rig.clock.set(claim.prepared.sendBy)
    try rig.call().make(claim)
    #expect(rig.appStore.answers.isEmpty)
    #expect(try failure(rig).failure == .passing)
    #expect(try rig.story.nextClaim(at: claim.prepared.sendBy).prepared.attempt == 2)
  }

  @Test("nobody answers at the address: nothing was sent, and it is tried later") func unreachable() throws {
    let rig = try ResponderRig()
    let claim = try won(rig)
    var call = try rig.call()
    let gone = AppStoreStandIn().port
    call = AnswerCall(
      api: AppStoreServerAPI(sandbox: try AppStoreAddress("http://127.0.0.1:\(gone)")), client: HTTPClient(),
      log: rig.story.log, apple: rig.apple, backoff: Backoff(speed: 1) { 0 }, times: ClaimTimes(speed: 1),
      pacer: CallPacer(ResponderRig.quick), metrics: rig.metrics, writes: rig.writes(), logger: ResponderRig.silent)
    call.make(claim)
    let failed = try failure(rig)
    #expect(failed.failure == .passing)
    #expect(failed.retryAt == Story.start + 1_500)
  }

  @Test(
    "tries come apart, twice as far each time, five minutes at most",
    arguments: [
      (1, 2_000), (2, 4_000), (7, 128_000), (8, 256_000), (9, 300_000), (1_000, 300_000), (0, 2_000),
    ] as [(Int, Int64)])
  func backoff(attempt: Int, milliseconds: Int64) {
    #expect(Backoff(speed: 1) { 1 }.milliseconds(after: attempt) == milliseconds)
    #expect(Backoff(speed: 1) { 0 }.milliseconds(after: attempt) == milliseconds * 3 / 4)
  }

  @Test("whose lock file was removed is no leader any more, and takes the new one where it is free") func removedLock()
    throws
  {
    let folder = TemporaryFolder()
    let first = try LeaderLock(folder: folder.path)
    #expect(first.hold() && first.hold())
    unlink(folder.path + "/responder.leader")
    let second = try LeaderLock(folder: folder.path)
    #expect(second.hold())
    #expect(!first.hold())
  }

  @Test("that ends while the log is read decides nothing on the half of it", arguments: 1...5) func halfRead(
    questions: Int
  )
    throws
  {
    let rig = try ResponderRig(hasKey: false)
    try rig.story.policy()
    try rig.story.statement("*")
    try rig.story.request()
    // More than two batches lie between the request and the consent.
    for number in 0..<1_100 {
      try rig.story.add(
        EventDraft(
          id: EventID("filler/\(number)"), stream: StreamName("fillers"), type: "Filler", occurredAt: 1,
          data: Array("{}".utf8)))
    }
    try rig.story.consent(true)
    rig.clock.set(Story.start + 14 * Story.hour)
    try rig.run(questions: questions)
    let withheld = try rig.events(.consumptionWithheld).map { try ConsumptionWithheld(data: $0.data!).reason }
    #expect(!withheld.contains(.noConsent), "the consent is in the log")
  }
}

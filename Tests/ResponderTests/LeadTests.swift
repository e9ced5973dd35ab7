import Contracts
import EventLog
import Glibc
import Service
import Testing

@testable import Responder

/// Who cannot write what it has to does not keep others from it, and does not say that it is ready.
@Suite("A responder that cannot write", .timeLimit(.minutes(2))) struct LeadTests {
  private static let declared: Set<String> = [EventType.policyLoaded.rawValue]

  private func eventually(_ what: Comment, _ holds: () throws -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + 30_000
    while try !holds() {
      try #require(MonotonicClock.milliseconds() < deadline, what)
      usleep(5_000)
    }
  }

  private func isNotReady(_ rig: ResponderRig) -> Bool {
    rig.metrics.unreadyReason?.contains("the disk is full") == true
  }

  private func leads(_ rig: ResponderRig) -> Bool { rig.metrics.leads.value == 1 }

  @Test("what its settings declare gives the lead away: nothing is claimed for the app meanwhile") func declarations()
    throws
  {
    let story = Story(environment: "Sandbox")
    let log = RefusingLog(story.log)
    let rig = try ResponderRig(story, log: log)
    try rig.start()
    try eventually("it leads") { leads(rig) && rig.metrics.unreadyReason == nil }
    log.refuse(Self.declared)
    try rig.reload()
    try eventually("it is not ready") { isNotReady(rig) }
    var other: LeaderLock?
    try eventually("another one may lead") {
      other = rig.takeLead()
      return other?.hold() == true
    }
    log.refuse([])
    other = nil
    try eventually("it leads again") { leads(rig) && rig.metrics.unreadyReason == nil }
    #expect(try rig.events(.policyLoaded).count == 1)
  }

  @Test("what Apple replied gives the lead away, as its loop has nothing to write then") func senders() throws {
    let story = Story(environment: "Sandbox")
    let log = RefusingLog(story.log)
    let rig = try ResponderRig(story, log: log)
    log.refuse([EventType.consumptionSent.rawValue])
    try rig.start()
    try story.policy()
    try story.evidence(Story.facts)
    try story.consent(true)
    try story.request()
    try eventually("it is not ready") { isNotReady(rig) }
    var other: LeaderLock?
    try eventually("another one may lead") {
      other = rig.takeLead()
      return other?.hold() == true
    }
    log.refuse([])
    try rig.wait(for: .consumptionSent)
    other = nil
    try eventually("it leads again") { leads(rig) && rig.metrics.unreadyReason == nil }
    #expect(rig.appStore.answers.count == 1)
  }

  @Test("stays not ready while another one over the same log cannot write either, until one can") func both() throws {
    let story = Story(environment: "Sandbox")
    let log = RefusingLog(story.log)
    let first = try ResponderRig(story, log: log)
    try first.start(claimant: "first")
    try eventually("the first leads") { leads(first) }
    let second = try ResponderRig(story, log: log, in: first.place)
    try second.start(claimant: "second")
    try eventually("the second waits for its turn") { second.metrics.unreadyReason == nil }
    log.refuse(Self.declared)
    try first.reload()
    try second.reload()
    try eventually("the first cannot write") { isNotReady(first) }
    try eventually("the second takes over") { leads(second) }
    try eventually("the second cannot write") { isNotReady(second) }
    try eventually("the first tries again, and neither was ready before") {
      try #require(first.metrics.unreadyReason != nil && second.metrics.unreadyReason != nil)
      return leads(first)
    }
    log.refuse([])
    try eventually("both are ready") { first.metrics.unreadyReason == nil && second.metrics.unreadyReason == nil }
    #expect(leads(first) != leads(second))
  }

  @Test("the lock of the lead leaves the projection as well to another one, and leads when it can") func lock() throws {
    let rig = try ResponderRig()
    try rig.start()
    try eventually("it leads") { leads(rig) }
    let path = rig.place + "/responder.leader"
    try #require(unlink(path) == 0 && mkdir(path, 0o700) == 0)
    let other = try FileLock(ProjectionFiles(folder: rig.place).writerLock)
    try eventually("another one may write the projection") { other.hold() }
    #expect(rig.metrics.unreadyReason?.contains("responder.leader") == true)
    #expect(throws: FileError.self) { try LeaderLock(folder: rig.place) }
    try #require(rmdir(path) == 0)
    other.release()
    try eventually("it leads again") { leads(rig) && rig.metrics.unreadyReason == nil }
  }

  // MARK: What counts

  private func watch(_ story: Story) -> (WriteWatch, ResponderMetrics) {
    let metrics = ResponderMetrics(clock: .fixed(Story.start))
    metrics.follows(at: Story.start, due: nil)
    return (WriteWatch(log: story.log, metrics: metrics, logger: ResponderRig.silent), metrics)
  }

  @Test("what no log would take says nothing about the log", arguments: [AppendError.refused("too large"), .closed])
  func refused(error: AppendError) throws {
    let (writes, metrics) = watch(Story(environment: "Sandbox"))
    writes.didNotTake(error)
    #expect(metrics.unreadyReason == nil)
    writes.didNotTake(.notWritten("full"))
    #expect(metrics.unreadyReason != nil)
    writes.didNotTake(error)
    #expect(metrics.unreadyReason?.contains("full") == true)
    writes.took()
    #expect(metrics.unreadyReason == nil)
  }

  @Test("says so again in a new trouble, also where it was another one who wrote between the two") func saidAgain()
    throws
  {
    let story = Story(environment: "Sandbox")
    let (writes, metrics) = watch(story)
    writes.didNotTake(.notWritten("full"))
    writes.said()
    writes.lookWhetherOthersWrite()
    #expect(writes.isSaid && metrics.unreadyReason != nil, "nobody wrote")
    try story.policy()
    writes.lookWhetherOthersWrite()
    #expect(!writes.isSaid && metrics.unreadyReason == nil)
  }
}

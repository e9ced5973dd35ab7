import Contracts
import EventLog
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("The responder's loop", .timeLimit(.minutes(1))) struct CaseLoopTests {
  private func isSent(_ events: [RecordedEvent]) -> Bool { events.contains { $0.type == "ConsumptionSent" } }

  @Test("answers once, records what it said and why, and then the outcome")
  func story() throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    try bench.begin()
    try bench.consent()
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    let events = try bench.eventually("an answer", isSent)
    #expect(events.map(\.type) == ["NotificationReceived", "ConsumptionPrepared", "ConsumptionSent"])
    #expect(events[1].id.text == "claim/Sandbox/\(LoopBench.transaction)/1")
    #expect(events[2].id.text == "sent/Sandbox/\(LoopBench.transaction)/1")
    #expect(events[1].causation?.text == "notification/r" && events[1].correlation?.text == "notification/r")
    #expect(events[2].causation == events[1].id && events[2].correlation?.text == "notification/r")
    #expect(events.allSatisfy { $0.customer == bench.customer && $0.app == LoopBench.bundleID })
    let calls = bench.calls()
    try #require(calls.count == 1)
    #expect(calls[0].target == "PUT /inApps/v2/transactions/consumption/\(LoopBench.transaction)")
    #expect(calls[0].body == (try ConsumptionPrepared(data: events[1].data!)).body)
    #expect(calls[0].authorization.hasPrefix("Bearer ey"))

    try bench.notify("REFUND_DECLINED", uuid: "d", signedAt: LoopBench.start + 1)
    let end = try bench.eventually("an outcome") { $0.last?.type == "Outcome" }
    #expect(end.count == 5 && bench.calls().count == 1)
    #expect(try Outcome(data: end[4].data!).answers == [events[1].id.text])
  }

  @Test("answers when the consent comes later")
  func laterConsent() throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    try bench.begin()
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    try bench.notify("TEST_OF_LIFE", uuid: "x")
    #expect(bench.calls().isEmpty)
    try bench.consent()
    try bench.eventually("an answer", isSent)
    #expect(bench.calls().count == 1)
  }

  @Test("ends as withheld when the window closes without consent")
  func noConsent() throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    try bench.begin()
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    bench.advance(to: LoopBench.start + 12 * 3_600_000)
    let events = try bench.eventually("an end") { $0.last?.type == "ConsumptionWithheld" }
    #expect(try ConsumptionWithheld(data: events.last!.data!).reason == .noConsent)
    try bench.consent()
    try bench.notify("TEST_OF_LIFE", uuid: "x")
    #expect(bench.calls().isEmpty)
  }

  @Test(
    "records what Apple answered, by class, and tries again when it may",
    arguments: [
      (HTTPResponse.text("Unauthenticated", status: 401), ConsumptionFailed.Failure.unauthorised, 300_000),
      (
        .json(Array(#"{"errorCode":4290000,"errorMessage":"Rate limit exceeded."}"#.utf8), status: 429), .limit, 300_000
      ),
      (
        .json(Array(#"{"errorCode":5000000,"errorMessage":"An unknown error occurred."}"#.utf8), status: 500), .passing,
        300_000
      ),
      (.text("<html>", status: 503), .passing, 300_000),
    ] as [(HTTPResponse, ConsumptionFailed.Failure, Int64)])
  func passing(reply: HTTPResponse, failure: ConsumptionFailed.Failure, longest: Int64) throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    bench.store.replies.change { $0 = [reply] }
    try bench.begin()
    try bench.consent()
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    let events = try bench.eventually("a failure") { $0.last?.type == "ConsumptionFailed" }
    let failed = try ConsumptionFailed(data: events.last!.data!)
    #expect(failed.failure == failure && failed.status == Int64(reply.status))
    let retryAt = try #require(failed.retryAt)
    #expect(retryAt > LoopBench.start && retryAt <= LoopBench.start + longest)
    bench.advance(to: retryAt)
    try bench.eventually("an answer", isSent)
    #expect(bench.calls().count == 2)
    #expect(Set(bench.calls().map(\.body)).count == 1)
  }

  @Test("does not repeat what Apple refused for good")
  func refused() throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    bench.store.replies.change {
      $0 = [.json(Array(#"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#.utf8), status: 404)]
    }
    try bench.begin()
    try bench.consent()
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    let events = try bench.eventually("a failure") { $0.last?.type == "ConsumptionFailed" }
    let failed = try ConsumptionFailed(data: events.last!.data!)
    #expect(failed.failure == .refused && failed.errorCode == 4_040_010 && failed.retryAt == nil)
    bench.advance(to: LoopBench.start + 11 * 3_600_000)
    try bench.notify("TEST_OF_LIFE", uuid: "x")
    try bench.notify("REFUND", uuid: "d", signedAt: LoopBench.start + 5)
    try bench.eventually("an outcome") { $0.last?.type == "Outcome" }
    #expect(bench.calls().count == 1)
  }

  @Test("goes on after a restart in every phase, and says nothing twice")
  func restarts() throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    func restart() throws {
      bench.end()
      try bench.begin()
    }
    try bench.begin()
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    try restart()
    bench.end()
    try bench.consent()
    try bench.begin()
    try bench.eventually("an answer", isSent)
    try restart()
    try bench.notify("REFUND", uuid: "d", signedAt: LoopBench.start + 1)
    try bench.eventually("an outcome") { $0.last?.type == "Outcome" }
    try restart()
    try restart()
    let events = try bench.eventually("all") { _ in true }
    #expect(bench.calls().count == 1 && events.count { $0.type == "Outcome" } == 1)
    // Declarations are not repeated either.
    #expect(try bench.log.read(stream: StreamName("app/com.example"), after: 0, limit: 10).count == 2)
  }

  @Test("settles a claim whose process died before the call, and calls anew")
  func orphanedClaim() throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    try bench.consent()
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    let dead = ConsumptionPrepared(
      request: "notification/r", attempt: 1, endpointVersion: 2, body: "{}", rule: "default",
      policy: String(repeating: "0", count: 64), basis: "consent/1", sources: [:], claimant: "dead",
      sendBy: LoopBench.start + 20_000, late: false)
    _ = try bench.log.append([
      EventDraft(
        dead, id: "claim/Sandbox/\(LoopBench.transaction)/1", stream: StreamName(LoopBench.key.stream),
        environment: "Sandbox", app: LoopBench.bundleID, occurredAt: LoopBench.start)
    ])
    try bench.begin()
    try bench.notify("TEST_OF_LIFE", uuid: "x")
    #expect(bench.calls().isEmpty)
    bench.advance(to: LoopBench.start + 55_000)
    let events = try bench.eventually("an answer", isSent)
    #expect(
      events.map(\.type).filter { $0 != "NotificationReceived" }
        == ["ConsumptionPrepared", "ConsumptionFailed", "ConsumptionPrepared", "ConsumptionSent"])
    #expect(events.contains { $0.id.text == "unknown/Sandbox/\(LoopBench.transaction)/1" })
    #expect(bench.calls().count == 1)
  }
}

@Suite("A call that was claimed") struct AnswerCallTests {
  @Test("is not made after a withdrawal, a decision or too long a wait; the log says why")
  func notSent() throws {
    // The call's own last look, between claim and send.
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    try bench.begin()
    try bench.consent()
    bench.store.replies.change { $0 = [.empty(500)] }
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    let events = try bench.eventually("a failure") { $0.last?.type == "ConsumptionFailed" }
    let retryAt = try #require(try ConsumptionFailed(data: events.last!.data!).retryAt)
    try bench.consent(false, at: LoopBench.start + 1)
    bench.advance(to: retryAt)
    try bench.notify("TEST_OF_LIFE", uuid: "x")
    bench.advance(to: LoopBench.start + 12 * 3_600_000)
    let end = try bench.eventually("an end") { $0.last?.type == "ConsumptionWithheld" }
    #expect(end.filter { $0.type == "ConsumptionPrepared" }.count == 1, "no claim stands after a withdrawal")
    #expect(bench.calls().count == 1)
  }
}

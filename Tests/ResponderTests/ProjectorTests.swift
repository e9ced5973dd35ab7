import Contracts
import EventLog
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("The projection") struct ProjectorTests {
  private static let start = Story.start

  private func follow(_ log: MemoryEventLog, in folder: borrowing TemporaryFolder) throws -> Set<PurchaseKey> {
    let projector = try Projector(log: log, store: CaseStore(folder: folder.path))
    return try follow(projector)
  }

  private func follow(_ projector: Projector) throws -> Set<PurchaseKey> {
    var touched: Set<PurchaseKey> = []
    while let more = try projector.advance() { touched.formUnion(more) }
    return touched
  }

  @Test("opens a case from the start of its stream, evidence before the notification") func opens() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.policy()
    try story.evidence(Story.facts(share: 5_000))
    try story.notification("SUBSCRIBED", signedAt: Self.start - 9)
    try story.consent(true)
    let store = try CaseStore(folder: folder.path)
    let projector = try Projector(log: story.log, store: store)
    #expect(try follow(projector).contains(story.key) == false, "nothing has made it a case yet")
    #expect(try store.caseState(story.key) == nil)
    try story.request()
    #expect(try follow(projector) == [story.key])
    let state = try #require(try store.caseState(story.key))
    #expect(try state == story.state())
    #expect(state.version == 3)
    #expect(state.evidence.consumptionPercentage?.value == 5_000)
    #expect(try store.customer(story.customer).consent?.granted == true)
    #expect(try store.app(Story.bundleID).policy?.digest == Story.digest)
    #expect(try store.livingCases(at: Story.start) == [story.key])
  }

  @Test("tells a case as the file has it, whatever was read of it before") func known() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.request()
    let store = try CaseStore(folder: folder.path)
    _ = try follow(Projector(log: story.log, store: store))
    let known = try #require(try store.caseState(story.key))
    var other = known
    other.version += 1
    #expect(throws: ProjectionError.self) {
      try store.change { () throws(ProjectionError) in
        try store.keep(other)
        let kept = try store.caseState(story.key)
        #expect(kept == other)
        throw .overtaken
      }
    }
    #expect(try store.caseState(story.key) == known, "taken back")
    try CaseStore(folder: folder.path).keep(other)
    #expect(try store.caseState(story.key) == other, "changed by somebody else")
  }

  @Test("tells which cases a consent, a declaration or evidence may change") func touched() throws {
    let folder = TemporaryFolder()
    let story = Story(transactionID: "2")
    let original = try PurchaseKey(environment: "Production", transactionID: "1")
    try story.request { $0["originalTransactionId"] = "1" }
    let stranger = Story(transactionID: "3", log: story.log)
    try stranger.notification("CONSUMPTION_REQUEST", uuid: 77, account: nil)
    let projector = try Projector(log: story.log, store: CaseStore(folder: folder.path))
    #expect(try follow(projector) == [story.key, stranger.key])
    try story.consent(true)
    #expect(try follow(projector) == [story.key])
    try story.evidence(Story.facts, of: original)
    #expect(try follow(projector) == [story.key], "what is stated of the original counts for its renewal")
    try story.policy()
    #expect(try follow(projector) == [story.key, stranger.key])
    try story.evidence(Story.facts)
    #expect(try follow(projector) == [story.key])
    #expect(try projector.advance() == nil)
  }

  @Test("knows what a parent took back, and has the app's living cases looked at then") func rescission() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.request()
    let stranger = Story(transactionID: "3", log: story.log)
    try stranger.notification("CONSUMPTION_REQUEST", uuid: 77)
    let store = try CaseStore(folder: folder.path)
    let projector = try Projector(log: story.log, store: store)
    _ = try follow(projector)
    #expect(try store.rescission(of: story.state()) == nil)
    let newest = try story.rescind(signedAt: Self.start + 9)
    try story.rescind(signedAt: Self.start + 5)
    #expect(try follow(projector) == [story.key, stranger.key])
    #expect(try store.rescission(of: story.state())?.event == newest)
    #expect(try store.rescission(of: stranger.state()) == nil)
    // Of another kind, a notification without a purchase changes nothing.
    try story.add(
      EventDraft(
        id: EventID("notification/t"), stream: story.appStream, type: "NotificationReceived", kind: "TEST",
        occurredAt: 1, data: Array("{}".utf8)))
    #expect(try follow(projector) == [])
    let page = try CaseReader(folder: folder.path, log: story.log, clock: .fixed(Self.start)).page(of: story.key)
    #expect(page?.consent.state == .withdrawn && page?.consent.event == newest)
  }

  @Test("goes on past an event that cannot be read, and marks its stream alone") func stuck() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.request()
    try story.add(
      EventDraft(
        id: EventID("evidence/x"), stream: story.stream, type: "EvidenceRecorded", occurredAt: 1, data: Array("{}".utf8)
      ))
    try story.notification("REFUND", signedAt: Self.start + 1)
    let late = Story(transactionID: "5", log: story.log)
    try late.add(
      EventDraft(
        id: EventID("evidence/y"), stream: late.stream, type: "EvidenceRecorded", occurredAt: 1, data: Array("[]".utf8))
    )
    try late.notification("CONSUMPTION_REQUEST", uuid: 88)
    let other = Story(transactionID: "4", log: story.log)
    try other.notification("CONSUMPTION_REQUEST", uuid: 99)
    let store = try CaseStore(folder: folder.path)
    let projector = try Projector(log: story.log, store: store)
    _ = try follow(projector)
    #expect(try store.isStuck(story.stream))
    #expect(try store.caseState(story.key)?.version == 1)
    #expect(try store.isStuck(late.stream))
    #expect(try store.caseState(late.key) == nil)
    #expect(try projector.caseOrStream(late.key) == nil)
    #expect(try !store.isStuck(other.stream))
    #expect(try store.caseState(other.key) != nil)
    #expect(try store.bookmark()?.position == story.log.head().position)
  }

  /// A log with something of everything in it.
  private func busyLog() throws -> MemoryEventLog {
    let log = Story.memory()
    for number in 1...7 {
      let story = Story(environment: number % 2 == 0 ? "Sandbox" : "Production", transactionID: "\(number)", log: log)
      if number == 1 { try story.policy() }
      if number % 3 == 0 { try story.consent(number % 2 == 0, statedAt: Int64(number)) }
      try story.evidence(Story.facts(share: Int64(number) * 1_000))
      try story.notification("CONSUMPTION_REQUEST", uuid: number * 10)
      if number % 2 == 1 { try story.claimNextIfAny() }
      if number % 4 == 0 { try story.notification("REFUND", uuid: number * 10 + 1, signedAt: Self.start + 5) }
      if number == 6 {
        try story.add(
          EventDraft(
            id: EventID("evidence/z"), stream: story.stream, type: "EvidenceRecorded", occurredAt: 1,
            data: Array("{}".utf8)))
      }
    }
    return log
  }

  @Test("is the same lived through event by event, continued after restarts, and replayed from nothing")
  func replay() throws {
    let source = try busyLog()
    let events = try source.read(after: .start, limit: 1_000)
    let lived = TemporaryFolder()
    let restarted = TemporaryFolder()
    let replayed = TemporaryFolder()
    let growing = Story.memory()
    let projector = try Projector(log: growing, store: CaseStore(folder: lived.path))
    for event in events {
      _ = try growing.append([event.draft])
      _ = try follow(projector)
      // Made anew each time, it continues from its bookmark.
      _ = try follow(growing, in: restarted)
    }
    _ = try follow(growing, in: replayed)
    let rows = try ProjectionRows.all(in: replayed.path)
    #expect(rows.count > 10)
    #expect(try ProjectionRows.all(in: lived.path) == rows)
    #expect(try ProjectionRows.all(in: restarted.path) == rows)
  }

  @Test("starts over where another log stands") func startsOver() throws {
    let folder = TemporaryFolder()
    let fresh = TemporaryFolder()
    _ = try follow(busyLog(), in: folder)
    let other = Story(transactionID: "9", log: Story.memory(id: "00000000-0000-4000-8000-000000000002"))
    try other.request()
    #expect(throws: ProjectionError.self) { try follow(other.log, in: folder) }
    let projection = try Projection(folder: folder.path, log: other.log, listener: .init())
    #expect(projection.holdsWriter())
    guard case .ready = try projection.open(until: { false }, making: { _ in }) else {
      Issue.record("it is not made anew")
      return
    }
    _ = try follow(other.log, in: fresh)
    #expect(try ProjectionRows.all(in: folder.path) == ProjectionRows.all(in: fresh.path))
  }

  @Test("does not go on where the log lost what was read") func damaged() throws {
    let folder = TemporaryFolder()
    _ = try follow(busyLog(), in: folder)
    let story = Story()
    try story.request()
    let projector = try Projector(log: story.log, store: CaseStore(folder: folder.path))
    #expect(throws: ProjectionError.self) { try projector.advance() }
  }

  @Test("tells from when to when a restore holds sending up, and has every living case looked at each time")
  func restore() throws {
    let folder = TemporaryFolder()
    let story = Story()
    try story.request()
    let store = try CaseStore(folder: folder.path)
    let projector = try Projector(log: story.log, store: store)
    _ = try follow(projector)
    #expect(try store.sending().pausedSince == nil)
    try story.restored(at: Story.start + 5, backupAt: Story.start + 1)
    #expect(try follow(projector) == [story.key])
    #expect(try store.sending().pausedSince == Story.start + 5)
    #expect(try store.sending() == SendingState(in: story.log))
    try story.resumed()
    #expect(try follow(projector) == [story.key])
    #expect(try store.sending().pausedSince == nil)
    try story.restored(at: Story.start + 9)
    _ = try follow(projector)
    #expect(try store.sending().pausedSince == Story.start + 9)
  }

  @Test("pauses at a restore that says nothing readable, and no unreadable word ends the pause")
  func unreadableRestore() throws {
    let story = Story()
    func add(_ type: String, _ id: String) throws {
      try story.add(
        EventDraft(
          id: EventID(id), stream: StreamName("log"), type: type, occurredAt: Story.start, data: Array("{}".utf8)))
    }
    try add("LogRestored", "restored/a")
    try add("SendingResumed", "resumed/a")
    #expect(try SendingState(in: story.log).pausedSince == Story.start)
    try story.resumed()
    #expect(try SendingState(in: story.log).pausedSince == nil)
  }
}

extension Story {
  /// Appends the claim that comes next, where one does.
  func claimNextIfAny() throws {
    if case .claim(let claim) = try step() { try self.claim(claim.prepared) }
  }
}

extension RecordedEvent {
  /// What was appended to get it.
  var draft: EventDraft {
    EventDraft(
      id: id, stream: stream, type: type, schema: schema, kind: kind, environment: environment, app: app,
      customer: customer, occurredAt: occurredAt, signedAt: signedAt, causation: causation, correlation: correlation,
      data: data!)
  }
}

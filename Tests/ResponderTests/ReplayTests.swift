import AppStore
import Contracts
import EventLog
import Glibc
import Service
import TestSupport
import Testing

@testable import Responder

/// Promise 10: replay changes nothing and sends nothing.
@Suite("A log of a thousand events that was lived through", .serialized, .timeLimit(.minutes(14))) struct ReplayTests {
  private static let lived = Result {
    let seed = Effort.seed()
    print("ReplayTests: REFUNDLOG_SEED=\(seed) draws the same numbers again")
    return try LivedThrough(seed: seed, events: 1_000)
  }

  /// Runs the loop over the whole log for a good while, from a projection that is there already.
  private func restart(
    _ lived: LivedThrough, from projection: String?, apps: [ResponderSettings.App]? = nil
  ) throws -> (rows: [String], calls: Int) {
    let rig = try ResponderRig(
      Story(environment: "Sandbox", transactionID: "1", log: lived.log), apps: apps, log: ImpatientLog(log: lived.log))
    rig.clock.set(lived.instant)
    if let projection { try copy(projection, to: rig.folder.path) }
    // Each question is a batch that was read or a pass over what is due; the first pass comes after the last batch.
    try rig.run(questions: 16)
    return (try ProjectionRows.all(in: rig.folder.path), rig.appStore.answers.count)
  }

  private func copy(_ projection: String, to folder: String) throws {
    try #require(system("cp \(projection)/cases-v*.sqlite* \(folder)/ && rm -f \(folder)/*-shm") == 0)
  }

  private func expect(_ rows: [String], _ lived: LivedThrough, _ what: Comment) {
    if rows == lived.rows { return }
    let difference = rows.difference(from: lived.rows)
    Issue.record("\(what), seed \(lived.seed): \(difference.count) rows differ, such as \(difference.prefix(2))")
  }

  @Test("is worth replaying: it has something of everything, and is at rest") func rich() throws {
    let lived = try Self.lived.get()
    #expect(lived.events.count >= 1_000)
    let types = Set(lived.events.map(\.type))
    for type: EventType in [
      .notificationReceived, .consentRecorded, .customerLinked, .evidenceRecorded, .policyLoaded,
      .productStatementDeclared, .acceptedTextsDeclared, .consumptionPrepared, .consumptionSent, .consumptionFailed,
      .consumptionWithheld, .outcome, .caseReviewed,
    ] { #expect(types.contains(type.rawValue), "\(type.rawValue), seed \(lived.seed)") }
    #expect(types.contains("SeatsReturned"))
    #expect(lived.calls > 20 && lived.rows.count > 60)
    #expect(lived.rows.contains { $0.hasPrefix("stuck: ") })
  }

  @Test("is the same state read from nothing, without one call and without one event") func fromNothing() throws {
    let lived = try Self.lived.get()
    let replayed = try restart(lived, from: nil)
    expect(replayed.rows, lived, "replayed from nothing")
    #expect(replayed.calls == 0)
    #expect(try lived.log.head() == lived.head)
  }

  @Test("is the same state after a restart at each position, without one call and without one event")
  func restarts() throws {
    let lived = try Self.lived.get()
    let stride = Effort.pick(80, long: 1)
    let folder = TemporaryFolder()
    let growing = LivedThrough.emptyLog()
    let projector = try Projector(log: growing, store: CaseStore(folder: folder.path))
    for event in lived.events {
      // Each is read as it comes, in a batch of its own.
      _ = try growing.append([event.draft])
      while try projector.advance() != nil {}
      guard event.position.value % Int64(stride) == 0 else { continue }
      let restarted = try restart(lived, from: folder.path)
      expect(restarted.rows, lived, "restarted at \(event.position)")
      #expect(restarted.calls == 0, "restarted at \(event.position), seed \(lived.seed)")
      try #require(try lived.log.head() == lived.head, "restarted at \(event.position), seed \(lived.seed)")
    }
    expect(try ProjectionRows.all(in: folder.path), lived, "event by event")
  }

  @Test("is the same log and the same state where each event is delivered twice") func twice() throws {
    let lived = try Self.lived.get()
    let log = LivedThrough.emptyLog()
    for event in lived.events {
      _ = try log.append([event.draft])
      // At once, together with an older one; and as a retry brings it, expecting what was true then.
      let older = lived.events[Int(event.position.value) / 2]
      let outcome = try log.append(
        [event.draft, event.draft, older.position < event.position ? older.draft : event.draft],
        expecting: [event.stream: .exactly(event.version - 1)])
      guard case .recorded(let recordings) = outcome else {
        Issue.record("a retry of \(event.id) is a conflict, seed \(lived.seed)")
        return
      }
      #expect(recordings.prefix(2).allSatisfy { $0 == .duplicate(first: event.position, same: true) })
    }
    #expect(try log.head() == lived.head)
    let folder = TemporaryFolder()
    var unknown = 0
    let projector = try Projector(
      log: log, store: CaseStore(folder: folder.path), listener: Projector.Listener(unknown: { unknown += $0 }))
    while try projector.advance() != nil {}
    expect(try ProjectionRows.all(in: folder.path), lived, "delivered twice")
    #expect(unknown == lived.events.count { !EventType.isKnown($0) }, "each is told of, once")
  }

  /// What the settings say at the time of the replay.
  enum Settings: CaseIterable { case noApp, noKey, anotherApp, otherDeclarations }

  @Test("is the same state whatever the settings say by then", arguments: Settings.allCases)
  func settings(_ settings: Settings) throws {
    let lived = try Self.lived.get()
    var app = try ResponderRig.app()
    switch settings {
    case .noApp: break
    case .noKey: app.tokens = nil
    case .anotherApp:
      app.identity = try AppIdentity(bundleId: "com.example.other", appAppleId: 8, environments: [.sandbox])
    case .otherDeclarations:
      app.basis = ConsentBasisDeclared(
        bundleID: Story.bundleID, kind: .terms, textVersion: "99", effectiveFrom: 1, optOut: "never",
        coversUnidentified: true)
      app.statements = [
        ProductStatementDeclared(
          bundleID: Story.bundleID, productID: "*", deliveryStatus: DeliveryStatusWord("UNDELIVERED_OTHER"),
          sampleContentProvided: true, by: "settings")
      ]
    }
    let replayed = try restart(lived, from: nil, apps: settings == .noApp ? [] : [app])
    expect(replayed.rows, lived, "with other settings")
    #expect(replayed.calls == 0)
    #expect(try lived.log.head() == lived.head)
  }
}

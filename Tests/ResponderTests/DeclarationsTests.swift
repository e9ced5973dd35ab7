import AppStore
import Contracts
import EventLog
import Service
import Testing

@testable import Responder

@Suite("What settings declare") struct DeclarationsTests {
  private func declare(
    _ log: MemoryEventLog, basis: ConsentBasisDeclared? = nil, statements: [ProductStatementDeclared] = []
  ) throws -> [RecordedEvent] {
    let before = try log.head().position
    let app = ResponderSettings.App(
      identity: try AppIdentity(bundleId: Story.bundleID, appAppleId: nil, environments: [.sandbox]), tokens: nil,
      basis: basis, statements: statements)
    try Declarations(log: log, clock: .fixed(Story.start)).declare(app)
    return try log.read(after: before, limit: 100)
  }

  private func basis(_ version: String) -> ConsentBasisDeclared {
    ConsentBasisDeclared(
      bundleID: Story.bundleID, kind: .terms, textVersion: version, effectiveFrom: 1, optOut: "by mail",
      coversUnidentified: false)
  }

  private func statement(_ product: String, sample: Bool) -> ProductStatementDeclared {
    ProductStatementDeclared(
      bundleID: Story.bundleID, productID: product, deliveryStatus: DeliveryStatusWord("DELIVERED"),
      sampleContentProvided: sample, by: "settings")
  }

  @Test("is in the log once, and again only where it changed") func once() throws {
    let log = Story.memory()
    let first = try declare(
      log, basis: basis("1"), statements: [statement("*", sample: false), statement("gems", sample: true)])
    #expect(
      first.map(\.type) == [
        "PolicyLoaded", "ConsentBasisDeclared", "ProductStatementDeclared", "ProductStatementDeclared",
      ])
    #expect(
      first.map(\.id.text) == [
        "policy/app/com.example.app/1", "basis/app/com.example.app/2", "statement/app/com.example.app/3",
        "statement/app/com.example.app/4",
      ])
    #expect(Set(first.map(\.stream.text)) == ["app/com.example.app"])
    #expect(try PolicyLoaded(data: first[0].data!).text == #"{"rules":[]}"#, "the built-in default is loaded too")
    #expect(
      try declare(log, basis: basis("1"), statements: [statement("*", sample: false), statement("gems", sample: true)])
        .isEmpty)
    let changed = try declare(
      log, basis: basis("2"), statements: [statement("*", sample: false), statement("gems", sample: false)])
    #expect(changed.map(\.type) == ["ConsentBasisDeclared", "ProductStatementDeclared"])
    #expect(changed.map(\.version) == [5, 6])
    let back = try declare(log, basis: basis("1"), statements: [statement("gems", sample: false)])
    #expect(back.map(\.type) == ["ConsentBasisDeclared", "ProductStatementDeclared"], "A, B, A are three facts")
  }

  @Test("is declared past an event that nobody can read") func unreadable() throws {
    let log = Story.memory()
    _ = try log.append([
      EventDraft(
        id: EventID("policy/x"), stream: StreamName("app/com.example.app"), type: "PolicyLoaded", occurredAt: 1,
        data: Array("{}".utf8))
    ])
    #expect(try declare(log).map(\.version) == [2])
    #expect(try declare(log).isEmpty)
  }

  @Test("counts no more once the settings do not name it, unless somebody else declared it") func withdrawn() throws {
    let log = Story.memory()
    _ = try declare(log, statements: [statement("*", sample: false)])
    let story = Story(log: log)
    try story.add(
      ProductStatementDeclared(
        bundleID: Story.bundleID, productID: "gems", deliveryStatus: DeliveryStatusWord("DELIVERED"),
        sampleContentProvided: true, by: "operator:mia"), .statement, to: story.appStream)
    let gone = try declare(log)
    #expect(try gone.map { try ProductStatementDeclared(data: $0.data!).withdrawn } == [true])
    var app = AppState()
    for event in try log.read(stream: story.appStream, after: 0, limit: 100) { try app.fold(event) }
    #expect(app.statements.keys.sorted() == ["gems"])
    #expect(try declare(log).isEmpty)
    #expect(try declare(log, statements: [statement("*", sample: false)]).count == 1, "and again when it is back")
  }
}

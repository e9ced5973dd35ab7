import Contracts
import Cryptography
import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations
@testable import Responder

/// Promise 11: old events stay readable, unknown ones pass.
@Suite("The golden log of a release") struct GoldenTests {
  @Test("opens, for reading and for writing, and is whole, to the chain it had then", arguments: GoldenLog.all)
  func opens(golden: GoldenLog) throws {
    let folder = TemporaryFolder()
    try golden.restore(to: folder.path)
    let told = try golden.told()
    let (code, proof) = try run("\(Programs.folder)/refundlog", ["log", "verify", "--data", folder.path])
    #expect(code == 0, "\(proof)")
    let proved = try LogVerifier(folder: folder.path).verify()
    #expect(proved.head.value == told.position && Hex.encode(proved.chain) == told.chain)
    let log = try LocalEventLog.open(folder.path, clock: .fixed(told.instant))
    defer { log.close() }
    #expect(try log.head().position.value == told.position)
    let next = EventDraft(
      id: EventID("next/1"), stream: StreamName("next"), type: "Next", occurredAt: 1, data: Array("{}".utf8))
    let known = try #require(try log.read(after: .start, limit: 1).first)
    let again = EventDraft(
      id: known.id, stream: known.stream, type: known.type, schema: known.schema, occurredAt: 1,
      data: try #require(known.data))
    #expect(
      try log.append([next, again])
        == .recorded([.appended(Position(told.position + 1)), .duplicate(first: known.position, same: true)]))
  }

  @Test("is told by this build as it was then", arguments: GoldenLog.all) func state(golden: GoldenLog) throws {
    let folder = TemporaryFolder()
    try golden.restore(to: folder.path)
    let told = try golden.told()
    let cases = try GoldenLog.cases(in: folder.path, at: told.instant)
    #expect(cases.count == told.cases.count && !cases.isEmpty)
    for (then, now) in zip(told.cases, cases) {
      let differences = GoldenLog.differences(then, now, at: then["summary"]?["transactionId"]?.string ?? "")
      #expect(differences.isEmpty, "\(differences.count) differences, such as \(differences.prefix(3))")
    }
  }

  @Test("has every event of a known type read, and each as it was stored", arguments: GoldenLog.all)
  func events(golden: GoldenLog) throws {
    let folder = TemporaryFolder()
    try golden.restore(to: folder.path)
    for event in try LocalEventLog.reading(folder.path).read(after: .start, limit: 100_000) {
      guard let data = event.data, event.schema != 99 else { continue }
      let read = try KnownEvent.read(type: event.type, schema: event.schema, data: data)
      guard let type = EventType(rawValue: event.type) else {
        #expect(read == nil)
        continue
      }
      let known = try #require(read)
      if event.schema == type.schema { #expect(known.data.encoded() == data, "\(event.id)") }
      if let seams = event.seams { #expect(Seams(decoding: seams) != nil) }
    }
  }

  @Test("leaves by every door as it was stored, whatever this build knows of it", arguments: GoldenLog.all)
  func waysOut(golden: GoldenLog) throws {
    let folder = TemporaryFolder()
    try golden.restore(to: folder.path)
    let events = try LocalEventLog.reading(folder.path).read(after: .start, limit: 100_000)
    let tail = try run("\(Programs.folder)/refundlog", ["log", "tail", "--json", "--data", folder.path])
    let lines = tail.output.split(separator: "\n")
    #expect(tail.code == 0 && lines.count == events.count)
    for (line, event) in zip(lines, events) {
      let out = try JSONDocument(bytes: Array(line.utf8)).root
      #expect(out["type"]?.string == CloudEventsNames.type(of: event.type, schema: event.schema))
      #expect(out["data"].map { Array($0.bytes) } == event.data, "\(event.id)")
      #expect(out["erased"]?.bool == (event.isErased ? true : nil))
    }
    let words = try run("\(Programs.folder)/refundlog", ["log", "tail", "--data", folder.path])
    #expect(words.code == 0 && words.output.split(separator: "\n").count == events.count)
    // The stock shell, by the view that is part of the contract.
    let view = try run(
      "sqlite3", ["-readonly", "\(folder.path)/events.sqlite", "SELECT hex(data) FROM log_v1 ORDER BY position"])
    #expect(view.code == 0)
    let shown = view.output.split(separator: "\n", omittingEmptySubsequences: false).prefix(events.count)
    #expect(shown.map { $0.lowercased() } == events.map { Hex.encode($0.data ?? []) })
  }

  @Test("of this release is there, and has something of everything") func complete() throws {
    let golden = try #require(
      GoldenLog.all.first { $0.release == Release.version },
      "make golden writes Tests/Golden/\(Release.version); see Tests/Golden/README.md")
    let folder = TemporaryFolder()
    try golden.restore(to: folder.path)
    let events = try LocalEventLog.reading(folder.path).read(after: .start, limit: 100_000)
    let missing = Set(EventType.allCases.map(\.rawValue)).subtracting(events.map(\.type))
    #expect(missing.isEmpty)
    #expect(events.contains { EventType(rawValue: $0.type) == nil })
    #expect(events.contains { $0.schema == 99 } && events.contains { $0.isErased })
    #expect(Set(events.compactMap { $0.seams?.first }) == [1, 2], "both forms of seams")
    let pages = try golden.told().cases
    let phases = Set(pages.compactMap { $0["summary"]?["state"]?.string })
    #expect(phases == Set(CasePhase.allCases.map(\.rawValue)))
    let withheld = Set(
      pages.flatMap { $0["requests"]?.array ?? [] }.compactMap { $0["withheld"]?["reason"]?.string })
    #expect(
      withheld.isSuperset(of: ["noConsent", "notAnswerable", "unknownPurchase", "expired", "alreadyDecided"]))
    #expect(pages.count { $0["stuck"] != nil } == 1)
  }
}

/// Set by `make golden`.
private let goldenIsAsked = ProcessVariables["REFUNDLOG_GOLDEN"] == "write"

/// How a release gets its folder: `make golden`, once. In `make soak` it is made elsewhere, so that it can be made.
@Suite("A golden log", .serialized, .enabled(if: goldenIsAsked || Effort.isLong)) struct GoldenMaking {
  @Test("is made by the programs of this release, and told by them as it will be compared", .timeLimit(.minutes(3)))
  func make() throws {
    let folder = TemporaryFolder()
    let story = try GoldenStory(in: folder.path)
    defer { story.stop() }
    let instant = try story.live()
    let destination = goldenIsAsked ? "\(Project.golden)/\(Release.version)" : "\(folder.path)/golden"
    try #require(
      Project.bytes("\(destination)/events.sql") == nil, "\(destination) is there: it is never written again")
    try GoldenLog.write(story.installation.data, at: instant, to: destination)
    let cases = try GoldenLog.cases(in: story.installation.data, at: instant)
    #expect(cases.count > 15)
  }
}

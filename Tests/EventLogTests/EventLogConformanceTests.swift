import Cryptography
import EventLog
import Service
import TestSupport
import Testing

/// What every event log does, whatever it stands on: each test runs on the file and on the twin in memory.
@Suite("An event log") struct EventLogConformanceTests {
  enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case local, memory
    var testDescription: String { rawValue }

    func withLog(_ body: (any EventLog) throws -> Void) throws {
      switch self {
      case .memory: try body(MemoryEventLog(parts: LogFixture.parts()))
      case .local:
        let folder = TemporaryFolder()
        let log = try LogFixture.local(folder)
        defer { log.close() }
        try body(log)
      }
    }
  }

  private func draft(_ id: String, stream: String = "app/com.example", data: String = "{}") -> EventDraft {
    LogFixture.draft(id, stream: stream, data: data)
  }

  private func positions(_ outcome: AppendOutcome) -> [Int64]? {
    guard case .recorded(let recordings) = outcome else { return nil }
    return recordings.map(\.position.value)
  }

  @Test("numbers events without gaps and versions per stream", arguments: Engine.allCases)
  func numbers(engine: Engine) throws {
    try engine.withLog { log in
      #expect(positions(try log.append([draft("a", stream: "s"), draft("b", stream: "t")])) == [1, 2])
      #expect(positions(try log.append([draft("c", stream: "s"), draft("d", stream: "s")])) == [3, 4])
      let events = try log.read(after: .start, limit: 10)
      #expect(events.map(\.position.value) == [1, 2, 3, 4])
      #expect(events.map(\.version) == [1, 1, 2, 3])
      #expect(events.map(\.id.text) == ["a", "b", "c", "d"])
      #expect(try log.read(after: Position(2), limit: 1).map(\.id.text) == ["c"])
      #expect(try log.read(stream: StreamName("s"), after: 1, limit: 10).map(\.id.text) == ["c", "d"])
      #expect(try log.read(id: EventID("b"))?.position == Position(2))
      #expect(try log.read(id: EventID("x")) == nil)
      #expect(try log.head().position == Position(4))
    }
  }

  @Test("keeps every column as it was given", arguments: Engine.allCases)
  func columns(engine: Engine) throws {
    try engine.withLog { log in
      let header = Array("{\"alg\":\"ES256\"}".utf8)
      let digest = SHA256.digest(of: header).bytes
      let seams = Seams(
        .spliced(
          headerDigests: [digest],
          tokens: [.init(header: 0, payload: 2..<4, signature: [UInt8](repeating: 7, count: 64))]))
      let full = EventDraft(
        id: EventID("notification/1"), stream: StreamName("purchase/Sandbox/1"), type: "NotificationReceived",
        schema: 1, kind: "REFUND/SEATS", environment: "Sandbox", app: "com.example", customer: "ab", occurredAt: -5,
        signedAt: 7, causation: EventID("c"), correlation: EventID("d"), data: Array("{\"日\":\"\\u0000\"}".utf8),
        seams: seams, headers: [header])
      _ = try log.append([full, draft("bare", data: "")])
      let events = try log.read(after: .start, limit: 10)
      let event = try #require(events.first)
      #expect(event.kind == "REFUND/SEATS" && event.environment == "Sandbox" && event.app == "com.example")
      #expect(event.customer == "ab" && event.occurredAt == -5 && event.signedAt == 7)
      #expect(event.causation?.text == "c" && event.correlation?.text == "d")
      #expect(event.data == full.data && event.seams == seams.encoded)
      #expect(event.recordedAt == 1_764_500_000_000)
      #expect(try log.header(digest: digest) == header)
      #expect(try log.header(digest: [1]) == nil)
      let bare = events[1]
      #expect(bare.kind == nil && bare.signedAt == nil && bare.causation == nil && bare.data == [] && bare.seams == nil)
    }
  }

  @Test("knows an id for ever: a repeat is a duplicate that tells whether it is the same", arguments: Engine.allCases)
  func duplicates(engine: Engine) throws {
    try engine.withLog { log in
      _ = try log.append([draft("a"), draft("b")])
      #expect(try log.append([draft("a")]) == .recorded([.duplicate(first: Position(1), same: true)]))
      #expect(
        try log.append([draft("a", data: "{\"x\":1}")]) == .recorded([.duplicate(first: Position(1), same: false)]))
      #expect(
        try log.append([draft("a", stream: "other")]) == .recorded([.duplicate(first: Position(1), same: false)]))
      #expect(
        try log.append([draft("b"), draft("c"), draft("c"), draft("c", data: "[]")])
          == .recorded([
            .duplicate(first: Position(2), same: true), .appended(Position(3)),
            .duplicate(first: Position(3), same: true), .duplicate(first: Position(3), same: false),
          ]))
      #expect(try log.head().position == Position(3))
    }
  }

  @Test("writes nothing of a call whose expectation fails", arguments: Engine.allCases)
  func conflicts(engine: Engine) throws {
    try engine.withLog { log in
      let (s, t) = (StreamName("s"), StreamName("t"))
      func append(
        _ events: [EventDraft], _ expecting: [StreamName: ExpectedVersion]
      ) throws -> AppendOutcome { try log.append(events, expecting: expecting) }
      let first = try append([draft("a", stream: "s")], [s: .none, t: .exactly(0)])
      #expect(positions(first) == [1])
      let known = AppendOutcome.conflict(stream: s, actual: 1)
      #expect(try append([draft("b", stream: "s")], [s: .none]) == known)
      #expect(try append([draft("b", stream: "t"), draft("c", stream: "s")], [t: .any, s: .exactly(2)]) == known)
      // A stream that nothing is appended to.
      #expect(try append([draft("b", stream: "t")], [s: .exactly(0)]) == known)
      #expect(try log.head().position == Position(1))
      let second = try append([draft("b", stream: "t")], [s: .exactly(1)])
      #expect(positions(second) == [2])
    }
  }

  @Test("looks at ids before versions: a retry after a lost reply is no conflict", arguments: Engine.allCases)
  func retries(engine: Engine) throws {
    try engine.withLog { log in
      let s = StreamName("s")
      let call = [draft("a", stream: "s"), draft("b", stream: "s")]
      let expecting: [StreamName: ExpectedVersion] = [s: .none]
      _ = try log.append(call, expecting: expecting)
      let retried = try log.append(call, expecting: expecting)
      #expect(
        retried
          == .recorded([.duplicate(first: Position(1), same: true), .duplicate(first: Position(2), same: true)]))
      // Any new event among them, and versions count again.
      let withNew = try log.append(call + [draft("c", stream: "s")], expecting: expecting)
      #expect(withNew == .conflict(stream: s, actual: 2))
    }
  }

  @Test("takes calls from many threads at once, each whole or not at all", arguments: Engine.allCases)
  func concurrency(engine: Engine) throws {
    try engine.withLog { log in
      let results = Monitor<[AppendOutcome]>([])
      let threads = (0..<8).map { writer in
        OwnedThread(name: "writer") {
          for round in 0..<50 {
            // All compete for one version; one wins each round that a thread enters first.
            let shared = EventDraft(
              id: EventID("shared/\(writer)/\(round)"), stream: StreamName("shared"), type: "Noted", occurredAt: 0,
              data: [])
            let own = EventDraft(
              id: EventID("own/\(writer)/\(round)"), stream: StreamName("own/\(writer)"), type: "Noted",
              occurredAt: 0, data: [])
            let outcome = try! log.append([shared, own], expecting: [StreamName("shared"): .exactly(Int64(round))])
            results.change { $0.append(outcome) }
          }
        }
      }
      for thread in threads { thread.join() }
      let won = results.withLock { $0.filter { positions($0) != nil }.count }
      let events = try log.read(after: .start, limit: 10_000)
      #expect(won >= 1 && won <= 50)
      #expect(events.count == 2 * won)
      #expect(events.map(\.position.value) == Array(1...Int64(2 * won)))
      let shared = try log.read(stream: StreamName("shared"), after: 0, limit: 1_000)
      #expect(shared.map(\.version) == Array(1...Int64(won)))
    }
  }

  @Test("refuses names and data beyond their bounds and takes them at the bounds", arguments: Engine.allCases)
  func bounds(engine: Engine) throws {
    try engine.withLog { log in
      let long = String(repeating: "x", count: EventDraft.nameBytesMax)
      _ = try log.append([draft(long, stream: long)])
      for bad in [draft(""), draft("a", stream: ""), draft(long + "x"), draft("a", stream: long + "x")] {
        #expect { try log.append([bad]) } throws: { if case .refused = $0 as? AppendError { true } else { false } }
      }
      var large = draft("large")
      large.data = [UInt8](repeating: 0x20, count: EventDraft.bytesMax + 1)
      #expect { try log.append([large]) } throws: { if case .refused = $0 as? AppendError { true } else { false } }
      #expect(try log.head().position == Position(1))
    }
  }

  @Test("erases what an event said and keeps that it was said", arguments: Engine.allCases)
  func erasure(engine: Engine) throws {
    try engine.withLog { log in
      _ = try log.append([draft("a", data: "{\"secret\":1}"), draft("b")])
      let before = try #require(try log.read(id: EventID("a")))
      #expect(try log.erase([EventID("a"), EventID("absent")]) == [Position(1)])
      #expect(try log.erase([EventID("a")]) == [])
      let after = try #require(try log.read(id: EventID("a")))
      #expect(after.isErased && after.seams == nil && after.salt == nil)
      #expect(after.digest == before.digest && after.chain == before.chain)
      #expect(
        try log.append([draft("a", data: "anything")]) == .recorded([.duplicate(first: Position(1), same: true)]))
    }
  }

  @Test("lets a reader go on from its bookmark and refuses one of another log", arguments: Engine.allCases)
  func bookmarks(engine: Engine) throws {
    try engine.withLog { log in
      var bookmark = Bookmark(startOf: log.identity)
      #expect(try log.read(after: bookmark, limit: 10).isEmpty)
      _ = try log.append([draft("a"), draft("b"), draft("c")])
      for event in try log.read(after: bookmark, limit: 2) { bookmark = bookmark.passing(event) }
      #expect(try log.read(after: bookmark, limit: 10).map(\.id.text) == ["c"])

      var other = bookmark
      other.log = "another"
      #expect(throws: LogReadError.replaced(expected: "another", found: log.identity.id)) {
        try log.read(after: other, limit: 1)
      }
      var altered = bookmark
      altered.chain[0] ^= 1
      #expect(throws: LogReadError.altered(Position(2))) { try log.read(after: altered, limit: 1) }
      var ahead = bookmark
      ahead.position = Position(9)
      #expect(throws: LogReadError.lost(from: Position(4), through: Position(9))) {
        try log.read(after: ahead, limit: 1)
      }
    }
  }

  @Test("tells a reader that passed the place of a restore without seeing it", arguments: Engine.allCases)
  func restore(engine: Engine) throws {
    try engine.withLog { log in
      _ = try log.append([draft("a"), LogFixture.draft("r", stream: "log", type: "LogRestored"), draft("b")])
      let head = try log.head()
      #expect(head.restored == Position(2))
      #expect(try log.read(after: head, limit: 1).isEmpty)
      var unaware = head
      unaware.restored = .start
      #expect(throws: LogReadError.restored(at: Position(2))) { try log.read(after: unaware, limit: 1) }
      // Before it nothing is wrong: this reader meets the restore on its way.
      var bookmark = Bookmark(startOf: log.identity)
      for event in try log.read(after: bookmark, limit: 10) { bookmark = bookmark.passing(event) }
      #expect(bookmark == head)
    }
  }

  @Test("digests a caller's key with its own secret", arguments: Engine.allCases)
  func keyedDigests(engine: Engine) throws {
    try engine.withLog { log in
      let digest = log.keyedDigest([[1], [2]])
      #expect(digest.count == 64 && digest == log.keyedDigest([[1], [2]]))
      #expect(digest != log.keyedDigest([[1, 2]]) && digest != log.keyedDigest([[1], [2], []]))
      #expect(digest != MemoryEventLog(parts: LogFixture.parts()).keyedDigest([[1], [3]]))
    }
  }

  @Test("wakes who waits for it", .timeLimit(.minutes(5)), arguments: Engine.allCases)
  func wakes(engine: Engine) throws {
    try engine.withLog { log in
      let heard = Monitor(false)
      let thread = OwnedThread(name: "listener") {
        let wakeups = log.wakeups()
        heard.change { _ in }
        while (try! log.head().position) == .start { wakeups.wait(milliseconds: 20_000) }
        heard.change { $0 = true }
      }
      _ = try log.append([draft("a")])
      #expect(heard.wait(until: MonotonicClock.milliseconds() + 15_000) { $0 ? true : nil } == true)
      thread.join()
    }
  }

  /// Each wait ends by itself after a second: so many of them take too long where nobody is heard.
  @Test("ends a wait when it is called, also before it begins", .timeLimit(.minutes(5)), arguments: Engine.allCases)
  func isCalled(engine: Engine) throws {
    try engine.withLog { log in
      let wakeups = log.wakeups()
      let waits = Monitor(0)
      let thread = OwnedThread(name: "listener") {
        for _ in 0..<400 {
          wakeups.wait(milliseconds: 20_000)
          waits.change { $0 += 1 }
        }
      }
      for wait in 1...400 {
        wakeups.wake()
        _ = waits.wait { $0 >= wait ? true : nil }
      }
      thread.join()
      // One that comes while nobody waits is kept.
      for _ in 1...400 {
        wakeups.wake()
        wakeups.wait(milliseconds: 20_000)
      }
    }
  }
}

import EventLog
import TestSupport
import Testing

@Suite("Much of a log read at once") struct ScanTests {
  private static let streams = ["app/a", "customer/x", "customer/y", "customer", "purchase/P/1", "purchase/P/10", "z"]
  private static let kinds: [String?] = [
    "REFUND", "REFUND/SEATS", "REFUND_DECLINED", "REFUND!", "REFUND0", "RENEW", nil,
  ]

  /// The same events in a log on disk and in its twin; every seventh is erased.
  private func filled(_ folder: borrowing TemporaryFolder) throws -> [any EventLog] {
    let logs: [any EventLog] = [try LogFixture.local(folder), MemoryEventLog(parts: LogFixture.parts())]
    for log in logs {
      for number in 0..<300 {
        let id = EventID("event/\(number)")
        _ = try log.append([
          EventDraft(
            id: id, stream: StreamName(Self.streams[number * 5 % 7]), type: number % 4 == 0 ? "Loud" : "Noted",
            kind: Self.kinds[number * 3 % 7], occurredAt: Int64(number), data: Array("{\"n\":\(number)}".utf8))
        ])
        if number % 7 == 3 { _ = try log.erase([id]) }
      }
    }
    return logs
  }

  @Test("finds streams by the kinds of their events, a kind with and without something after a slash") func kinds()
    throws
  {
    let folder = TemporaryFolder()
    for log in try filled(folder) {
      for (start, end) in [(0, 300), (10, 11), (17, 60), (299, 300), (300, 300)] as [(Int64, Int64)] {
        let found = try log.streams(ofKinds: ["REFUND", "RENEWED"], after: Position(start), through: Position(end))
        let expected = try log.read(after: Position(start), limit: Int(end - start)).filter {
          ["REFUND", "REFUND/SEATS"].contains($0.kind)
        }
        #expect(found.map(\.text).sorted() == expected.map(\.stream.text).sorted())
      }
    }
  }

  @Test("goes from stream to stream by the names") func names() throws {
    let folder = TemporaryFolder()
    for log in try filled(folder) {
      #expect(try log.streams(named: "customer/", after: nil, limit: 9).map(\.text) == ["customer/x", "customer/y"])
      #expect(try log.streams(named: "customer/", after: nil, limit: 1).map(\.text) == ["customer/x"])
      #expect(
        try log.streams(named: "customer/", after: StreamName("customer/x"), limit: 9).map(\.text) == ["customer/y"])
      #expect(try log.streams(named: "customer/", after: StreamName("customer/y"), limit: 9).isEmpty)
      #expect(try log.streams(named: "purchase/P/1", after: nil, limit: 9).count == 2)
      #expect(try log.streams(named: "none/", after: nil, limit: 9).isEmpty)
    }
  }

  @Test("hands over each stream from its first event to a position, and what was erased as erased") func streams()
    throws
  {
    let folder = TemporaryFolder()
    for log in try filled(folder) {
      let names = ["z", "none", "app/a"].map(StreamName.init)
      for end in [0, 1, 150, 300, 1_000] as [Int64] {
        for passed in [nil, "Loud"] {
          var found: [RecordedEvent] = []
          try log.read(streams: names, through: Position(end), passingOver: passed) { found.append($0) }
          let expected = try names.flatMap { try log.read(stream: $0, after: 0, limit: 1_000) }.filter {
            $0.position.value <= end && $0.type != passed
          }
          #expect(found.map(told) == expected.map(told))
          for kinds in [["REFUND"], ["RENEW", "REFUND_DECLINED"], ["NONE"]] {
            found = []
            try log.read(streams: names, through: Position(end), passingOver: passed, butOfKinds: kinds) {
              found.append($0)
            }
            let expected = try names.flatMap { try log.read(stream: $0, after: 0, limit: 1_000) }.filter { event in
              let isKept = kinds.contains { event.kind == $0 || event.kind?.hasPrefix("\($0)/") == true }
              return event.position.value <= end && (event.type != passed || isKept)
            }
            #expect(found.map(told) == expected.map(told))
          }
        }
        let versions = try names.map { try log.version(of: $0, through: Position(end)) }
        let expected = try names.map { name in
          Int64(try log.read(stream: name, after: 0, limit: 1_000).count { $0.position.value <= end })
        }
        #expect(versions == expected)
      }
    }
  }

  /// Without what proves it.
  private func told(_ event: RecordedEvent) -> RecordedEvent {
    var event = event
    (event.seams, event.salt, event.digest, event.chain) = (nil, nil, [], [])
    return event
  }

  @Test(
    "stops at an event that is not what was written: data, another column, the chain before it, or one that is missing",
    arguments: [
      "UPDATE events SET data = '{\"x\":9}' WHERE position = 3", "UPDATE events SET occurred_at = 7 WHERE position = 3",
      "UPDATE events SET chain = zeroblob(32) WHERE position = 2", "DELETE FROM events WHERE position = 1",
    ])
  func damage(change: String) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    let stream = StreamName("s")
    for number in 1...4 { _ = try log.append([LogFixture.draft("\(number)", stream: "s")]) }
    var read: [Position] = []
    let all = { try log.read(streams: [stream], through: Position(4), passingOver: nil) { read.append($0.position) } }
    try all()
    #expect(read == (1...4).map { Position($0) })
    try LogFixture.change(folder.path, change)
    read = []
    #expect(throws: LogReadError.self) { try all() }
    #expect(!read.contains(Position(3)) && !read.contains(Position(4)))
  }
}

import EventLog
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog log stats") struct StatisticsTests {
  @Test("counts by type, kind, app, environment and stream, for machines")
  func machines() throws {
    let filled = try FilledLog()
    let result = Refundlog(["log", "stats", "--json", "--data", filled.path])
    #expect(result.code == .success, "\(result.complained)")
    let found = try JSONValue(bytes: Array(result.printed.utf8))
    #expect(found["events"]?.int64 == 7 && found["erased"]?.int64 == 1)
    #expect(found["types"]?.text() == #"{"SomethingLater":3,"NotificationReceived":2,"ConsentRecorded":1,"Outcome":1}"#)
    #expect(found["kinds"]?.text() == #"{"REFUND/SEATS":1,"TEST":1}"#)
    #expect(found["streams"]?.text() == #"{"app":1,"customer":1,"elsewhere":1,"purchase":2}"#)
    #expect(found["apps"]?.text() == #"[{"app":"com.example.coins","environments":{"Sandbox":2}}]"#)
    #expect(found["firstRecordedAt"]?.int64 == FilledLog.start)
    #expect(found["fileBytes"]?.int64 ?? 0 > 8_192 && found["bytesPerEvent"] != nil)
    #expect(found["eventsPerDay"] == nil, "all of it was written in one moment")
  }

  @Test("tells how fast it grows, over thirty days at most, in lines for people")
  func growth() throws {
    let folder = TemporaryFolder()
    // Forty days with two events each.
    for day in 0..<40 {
      let log = try LocalEventLog.open(folder.path, clock: .fixed(FilledLog.start + Int64(day) * 86_400_000))
      _ = try log.append(
        (0..<2).map { number in
          EventDraft(
            id: EventID("\(day)/\(number)"), stream: StreamName("elsewhere"), type: "SomethingLater", occurredAt: 0,
            data: Array("{}".utf8))
        })
      log.close()
    }
    let statistics = try LogStatistics(of: folder.path)
    #expect(statistics.growth?.days == 30 && statistics.growth?.events == 62)
    let text = Refundlog(["log", "stats", "--data", folder.path]).printed
    #expect(text.contains("80 events"))
    #expect(text.contains("over the last 30.0 days: 2 events a day"))
    #expect(text.contains("SomethingLater  80"))
  }

  @Test("counts what stands in the write-ahead log, and tells no growth of a log that is younger than a day")
  func young() throws {
    let folder = TemporaryFolder()
    let instant = Monitor(FilledLog.start)
    let log = try LocalEventLog.open(folder.path, clock: WallClock { instant.withLock { $0 } })
    defer { log.close() }
    let text = String(repeating: "0123456789", count: 200)
    func append(_ id: String) throws {
      _ = try log.append([
        EventDraft(
          id: EventID(id), stream: StreamName("elsewhere"), type: "SomethingLater", occurredAt: 0,
          data: Array("{\"x\":\"\(text)\"}".utf8))
      ])
    }
    for number in 0..<100 {
      instant.change { $0 += 10 * 60_000 }
      try append("\(number)")
    }
    let found = try LogStatistics(of: folder.path)
    #expect(found.fileBytes < 100 * 2_000 && found.contentBytes > 100 * 2_000, "\(found)")
    #expect(found.growth == nil, "sixteen hours")
    let told = Refundlog(["log", "stats", "--data", folder.path]).printed
    #expect(told.contains("younger than a day") && !told.contains("a year"))
    let json = try JSONValue(bytes: Array(Refundlog(["log", "stats", "--json", "--data", folder.path]).printed.utf8))
    #expect(json["bytesPerEvent"]?.int64 ?? 0 > 2_000 && json["eventsPerDay"] == nil)
    instant.change { $0 += 86_400_000 }
    try append("a day later")
    #expect(Refundlog(["log", "stats", "--data", folder.path]).printed.contains("events a day"))
  }

  @Test("tells of an empty log, and of none")
  func empty() throws {
    let folder = TemporaryFolder()
    try LocalEventLog.open(folder.path, clock: .fixed(FilledLog.start)).close()
    let result = Refundlog(["log", "stats", "--data", folder.path])
    #expect(result.code == .success && result.printed.contains("0 events"))
    #expect(Refundlog(["log", "stats", "--data", "/nowhere"]).code == .unavailable)
  }

  @Test("shows sizes and times as people read them")
  func sizes() {
    #expect(Size.text(999) == "999 B" && Size.text(1_000) == "1.0 kB" && Size.text(2_850_000_000) == "2.9 GB")
    #expect(Size.text(99_400_000) == "99 MB" && Size.text(9_960) == "10.0 kB" && Size.seconds(1_249) == "1.2 s")
  }
}

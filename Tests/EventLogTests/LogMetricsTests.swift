import EventLog
import Glibc
import SQLite
import Service
import TestSupport
import Testing

@Suite("The figures of a log") struct LogMetricsTests {
  private func open(_ folder: borrowing TemporaryFolder, _ registry: MetricRegistry) throws -> LocalEventLog {
    var parts = LogFixture.parts()
    parts.metrics = LogMetrics(registry, folder: folder.path)
    return try LocalEventLog(folder: folder.path, access: .readWrite, parts: parts)
  }

  private func value(_ name: String, _ registry: MetricRegistry) -> Double? {
    let line = registry.text().split(separator: "\n").first { $0.hasPrefix("refundlog_log_\(name) ") }
    return line.flatMap { Double($0.split(separator: " ")[1]) }
  }

  /// Files are looked at once a second; ten seconds at most.
  private func eventually(_ name: String, _ registry: MetricRegistry, _ holds: (Double) -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + 10_000
    while true {
      let found = value(name, registry)
      if let found, holds(found) { return }
      try #require(MonotonicClock.milliseconds() < deadline, "\(name) is \(found.map { "\($0)" } ?? "absent")")
      usleep(10_000)
    }
  }

  @Test("tell its head, its sizes, and how commits go")
  func figures() throws {
    let folder = TemporaryFolder()
    let registry = MetricRegistry()
    let log = try open(folder, registry)
    defer { log.close() }
    #expect(value("head_position", registry) == 0, "an empty log has a head as well")
    #expect(value("bytes", registry) ?? 0 > 0)
    for id in ["a", "b", "c"] { _ = try log.append([LogFixture.draft(id)]) }
    try eventually("head_position", registry) { $0 == 3 }
    try eventually("bytes", registry) { $0 >= 8_192 }
    try eventually("wal_bytes", registry) { $0 > 3 * 8_192 }
    for histogram in ["commit_seconds", "batch_calls", "gate_wait_seconds"] {
      #expect(value(histogram + "_count", registry) == 3, "\(histogram)")
    }
    #expect(value("batch_calls_sum", registry) == 3 && value("commit_seconds_sum", registry) ?? 0 > 0)
    #expect(value("checkpoint_age_seconds", registry) ?? -1 >= 0)
    // What another process appends is told too.
    let other = try LogFixture.local(folder)
    _ = try other.append([LogFixture.draft("d")])
    other.close()
    try eventually("head_position", registry) { $0 == 4 }
  }

  @Test("tell its head from the start on, also where no bell tells it, and are told without a look at a file")
  func fromTheStart() throws {
    let folder = TemporaryFolder()
    let before = try LogFixture.local(folder)
    for id in ["a", "b"] { _ = try before.append([LogFixture.draft(id)]) }
    before.close()
    unlink(folder.path + "/events.bell")
    let registry = MetricRegistry()
    let log = try open(folder, registry)
    #expect(value("head_position", registry) == 2)
    let bytes = try #require(value("bytes", registry))
    log.close()
    // Nothing looks any more; what is told is what was seen.
    try Files.removeFolder(folder.path)
    #expect(value("head_position", registry) == 2 && value("bytes", registry) == bytes)
    try Files.makeFolder(folder.path)
  }

  @Test("show a reader that stands still: appends go on, no checkpoint is completed until it goes")
  func standingReader() throws {
    let folder = TemporaryFolder()
    let registry = MetricRegistry()
    let log = try open(folder, registry)
    defer { log.close() }
    _ = try log.append([LogFixture.draft("first")])
    let reader = try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readOnly)
    try reader.execute("BEGIN")
    #expect(try reader.row("SELECT count(*) FROM events") { $0.integer(0) } == 1)
    let held = MonotonicClock.milliseconds()
    let data = "\"" + String(repeating: "x", count: 500_000) + "\""
    for round in 0..<60 { _ = try log.append([LogFixture.draft("e\(round)", data: data)]) }
    let age = try #require(value("checkpoint_age_seconds", registry))
    #expect(age * 1_000 >= Double(MonotonicClock.milliseconds() - held) - 1, "30 MB in, none wholly copied")
    try eventually("wal_bytes", registry) { $0 > 30_000_000 }
    try reader.execute("COMMIT")
    for round in 60..<100 { _ = try log.append([LogFixture.draft("e\(round)", data: data)]) }
    #expect(
      try #require(value("checkpoint_age_seconds", registry)) < age + Double(MonotonicClock.milliseconds() - held)
        / 1_000)
    try eventually("head_position", registry) { $0 == 101 }
  }
}

import Cryptography
import EventLog
import Glibc
import JSON
import Service

/// The log of the product. `occurred_at` carries nanoseconds of the machine's monotonic clock in these tests, so that
/// any process can tell how long an event was on its way.
final class OurLog: SharedLog {
  private let log: LocalEventLog
  private let registry = MetricRegistry()

  init(folder: String) throws {
    log = try LocalEventLog(
      folder: folder, access: .readWrite,
      parts: LogParts(
        clock: WallClock.system.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid,
        metrics: LogMetrics(registry, folder: folder)))
  }

  /// As a service tells them to whoever scrapes it.
  func figures() -> JSONObject {
    var figures: JSONObject = [:]
    for line in registry.text().split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let value = Double(words[1]) else { continue }
      switch words[0] {
      case "refundlog_log_wal_bytes": figures["walBytes"] = .count(Int(value))
      case "refundlog_log_checkpoint_age_seconds": figures["checkpointAgeMs"] = .count(Int(value * 1_000))
      default: break
      }
    }
    return figures
  }

  func writer() -> any SharedLogWriter { Writer(log: log) }
  func follower() -> any SharedLogFollower { Follower(log) }
  func close() { log.close() }

  private struct Writer: SharedLogWriter {
    let log: LocalEventLog

    func append(_ events: [EventDraft], expecting: [StreamName: ExpectedVersion]) throws -> AppendOutcome {
      try log.append(events, expecting: expecting)
    }
  }

  private final class Follower: SharedLogFollower {
    private let log: LocalEventLog
    private let wakeups: any LogWakeups
    private var bookmark: Bookmark

    init(_ log: LocalEventLog) {
      self.log = log
      wakeups = log.wakeups()
      bookmark = Bookmark(startOf: log.identity)
    }

    func next() throws -> [(position: Int64, at: Int64)] {
      let events = try log.read(after: bookmark, limit: 500)
      if let last = events.last {
        // Not by `passing`, which stops the program at a gap: the test is to find it and say so.
        bookmark.position = last.position
        bookmark.chain = last.chain
      }
      return events.map { ($0.position.value, $0.occurredAt) }
    }

    func wait(milliseconds: Int) { wakeups.wait(milliseconds: milliseconds) }
  }
}

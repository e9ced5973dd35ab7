import Cryptography
import EventLog
import Glibc
import Service

/// The log of the product. `occurred_at` carries nanoseconds of the machine's monotonic clock in these tests, so that
/// any process can tell how long an event was on its way.
final class OurLog: SharedLog {
  private let log: LocalEventLog

  init(folder: String) throws {
    log = try LocalEventLog(
      folder: folder, access: .readWrite,
      parts: LogParts(clock: WallClock.system.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid))
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

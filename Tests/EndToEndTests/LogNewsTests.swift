import Glibc
import JSON
import Service
import TestSupport
import Testing

/// Promise 8: what one process appends the other sees, with the bell at once and without it within a second.
@Suite("News of the log", .serialized)
struct LogNewsTests {
  /// One process appends, another follows.
  private func run(
    appends count: Int, everyMicroseconds pause: Int, readerSwitches: [String] = [],
    meanwhile: (_ log: String) throws -> Void = { _ in }
  ) throws -> JSONValue {
    let folder = TemporaryFolder()
    let processes = try LoadProcesses(in: folder.path)
    try processes.start("write", "writer", ["count": String(count), "pause-us": String(pause)])
    try processes.start("read", "reader", ["until": String(count)], switches: readerSwitches)
    try processes.go()
    try meanwhile(processes.folder)
    let results = try processes.results()
    print("news: \(results.map { $0.text() }.joined(separator: "\n  "))")
    let reader = results[1]
    // Nothing is missed, whatever wakes or does not.
    #expect(try reader.count("seen") == count)
    #expect(try reader.count("skips") == 0)
    return reader
  }

  /// From the call of `append` until another process has it: the sync of the disk is in it.
  @Test("reach another process with the bell", .timeLimit(.minutes(5)))
  func bell() throws {
    let reader = try run(appends: Effort.pick(200, long: 5_000), everyMicroseconds: 2_000)
    // The clock alone would take half a second on average. The figure itself is one of `make bench`.
    #expect(try reader.count("p50Us") < 100_000)
  }

  @Test("are not missed where the bell is taken away again and again, and take 1.1 s at most", .timeLimit(.minutes(5)))
  func bellTakenAway() throws {
    let milliseconds: Int64 = Effort.pick(2_000, long: 30_000)
    let reader = try run(appends: Int(milliseconds) / 30, everyMicroseconds: 30_000) { log in
      let deadline = MonotonicClock.milliseconds() + milliseconds
      while MonotonicClock.milliseconds() < deadline {
        unlink(log + "/events.bell")
        usleep(300)
      }
    }
    #expect(try reader.count("worstUs") < 1_100_000 + Self.slackMicroseconds)
  }

  @Test("are not missed where no inotify instance is left, and take 1.1 s at most", .timeLimit(.minutes(5)))
  func inotifyLimit() throws {
    let reader = try run(
      appends: Effort.pick(60, long: 1_000), everyMicroseconds: 30_000, readerSwitches: ["no-inotify"])
    #expect(try reader.count("worstUs") < 1_100_000 + Self.slackMicroseconds)
    // Or the bell rang after all, and this test shows nothing.
    #expect(try reader.count("worstUs") > 200_000)
  }

  /// What a loaded machine may add; the sync of a commit is in it.
  private static let slackMicroseconds: Int64 = 1_500_000
}

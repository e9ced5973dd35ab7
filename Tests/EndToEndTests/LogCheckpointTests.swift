import EventLog
import Glibc
import JSON
import SQLite
import Service
import TestSupport
import Testing

@testable import Operations

/// Promises 18 and 19: no checkpoint beside a commit, and no reader that stops the log.
@Suite("Checkpoints of the log", .serialized)
struct LogCheckpointTests {
  @Test("may be forced every 5 ms beside two writing processes", .timeLimit(.minutes(5)))
  func forced() throws {
    let folder = TemporaryFolder()
    let processes = try LoadProcesses(in: folder.path)
    let seconds = Effort.pick(1.5, long: 60)
    for label in ["one", "two"] {
      try processes.start("write", label, ["threads": "8", "seconds": String(seconds)])
    }
    for label in ["forcer", "other-forcer"] {
      try processes.start(
        "gate", label, ["every-ms": "5", "seconds": String(seconds)], switches: ["checkpoint"])
    }
    try processes.start("read", "reader", ["patience-ms": "1500"])
    try processes.go()
    let results = try processes.results(withinSeconds: 200)
    print("forced checkpoints: \(results.map { $0.text() }.joined(separator: "\n  "))")
    for result in results[..<4] { #expect(result["failures"]?.array == []) }
    for forcer in results[2..<4] {
      #expect(try forcer.count("intrusions") == 0)
      #expect(try forcer.count("complete") > 0)
    }
    #expect(try results[4].count("skips") == 0)
    let appended = try results[0].count("appended") + results[1].count("appended")
    #expect(try LogVerifier(folder: processes.folder).verify().events == Int(appended))
  }

  /// The processes' own checkpoints, of which each copies a thousand pages: whoever has the gate sees none of them work.
  @Test("of the writers' own run behind the gate", .timeLimit(.minutes(5)))
  func behindTheGate() throws {
    let folder = TemporaryFolder()
    let processes = try LoadProcesses(in: folder.path)
    let seconds = Effort.pick(2.0, long: 60)
    for label in ["one", "two"] {
      try processes.start("write", label, ["threads": "48", "seconds": String(seconds)])
    }
    try processes.start("gate", "watcher", ["every-ms": "1", "seconds": String(seconds)])
    try processes.go()
    let results = try processes.results(withinSeconds: 200)
    print("own checkpoints: \(results.map { $0.text() }.joined(separator: "\n  "))")
    for result in results[..<2] { #expect(result["failures"]?.array == []) }
    #expect(try results[2].count("rounds") > 10)
    #expect(try results[2].count("intrusions") == 0)
    // Checkpoints have taken place, or there was nothing to see.
    #expect(Self.bytes(processes.folder + "/events.sqlite") > 4 << 20)
    #expect(try LogVerifier(folder: processes.folder).verify().events > 0)
  }

  @Test("wait for a reader that stands still, and the log does not", .timeLimit(.minutes(5)))
  func reader() throws {
    let folder = TemporaryFolder()
    let processes = try LoadProcesses(in: folder.path)
    // The first process makes the log, so that there is something to stand still in.
    try processes.start("write", "first", ["count": "10"])
    try processes.go()
    _ = try processes.results()
    let wal = processes.folder + "/events.sqlite-wal"
    let before = Self.bytes(wal)
    let reader = try SQLiteConnection(path: processes.folder + "/events.sqlite", mode: .readOnly)
    try reader.execute("BEGIN")
    #expect(try reader.row("SELECT count(*) FROM events") { $0.integer(0) } == 10)

    let count = Effort.pick(2_000, long: 40_000)
    for label in ["one", "two"] {
      try processes.start("write", label, ["threads": "32", "count": String(count)])
    }
    try processes.go()
    let results = try processes.results(withinSeconds: 250)
    print("beside a standing reader: \(results.map { $0.text() }.joined(separator: "\n  "))")
    for result in results {
      #expect(result["failures"]?.array == [])
      #expect(try result.count("appended") >= count)
      // The service says so: nothing was copied to the end since it began, and the write-ahead log grows.
      #expect(try result.count("checkpointAgeMs") >= result.count("milliseconds"))
      #expect(try result.count("walBytes") > count * 1_500)
      // No append waited for the reader.
      #expect(try result.count("worstUs") < 3_000_000)
    }
    // What a full checkpoint would have let go is still there: two thirds of the pages at least hold new events.
    let grown = Self.bytes(wal)
    #expect(grown - before > 2 * count * 1_500, "\(grown)")
    // The reader still sees what it saw.
    #expect(try reader.row("SELECT count(*) FROM events") { $0.integer(0) } == 10)
    try reader.execute("ROLLBACK")

    // Once it is gone the next checkpoint copies all, and the write-ahead log begins anew instead of growing.
    try processes.start("write", "after", ["threads": "32", "count": String(count)])
    try processes.start("gate", "forcer", ["every-ms": "20", "seconds": "1"], switches: ["checkpoint"])
    try processes.go()
    let after = try processes.results(withinSeconds: 250)
    print("after it has gone: \(after.map { $0.text() }.joined(separator: "\n  "))")
    #expect(try after[1].count("complete") > 0)
    #expect(try after[0].count("checkpointAgeMs") < after[0].count("milliseconds"))
    // What is written before that checkpoint still goes to the end: a part of what all of it would have added.
    let added = Self.bytes(wal) - grown
    #expect(added < (grown - before) / 4, "\(added)")
    #expect(try LogVerifier(folder: processes.folder).verify().events >= 10 + 3 * count)
  }

  private static func bytes(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

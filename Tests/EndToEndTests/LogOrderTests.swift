import EventLog
import JSON
import TestSupport
import Testing

/// Promise 3: one order without gaps, and what a reader has passed is final.
@Suite("The order of a log that two processes write", .serialized)
struct LogOrderTests {
  /// Eight writers in two processes, three readers in three.
  private func run(_ log: String, each count: Int) throws -> (writers: [JSONValue], readers: [JSONValue]) {
    let folder = TemporaryFolder()
    let processes = try LoadProcesses(in: folder.path)
    for label in ["one", "two"] {
      try processes.start(
        "write", label, ["log": log, "threads": "4", "count": String(count)],
        switches: log == "ours" ? ["contended"] : [])
    }
    for number in 1...3 {
      try processes.start(
        "read", "reader\(number)", ["log": log, "until": String(2 * count), "patience-ms": "8000"])
    }
    try processes.go()
    let results = try processes.results(withinSeconds: 800)
    print("order, \(log): \(results.map { $0.text() }.joined(separator: "\n  "))")
    if log == "ours" {
      #expect(try LogVerifier(folder: processes.folder).verify().events == 2 * count)
    }
    return (Array(results[..<2]), Array(results[2...]))
  }

  @Test("is the same for all readers, without a gap and without a repeat", .timeLimit(.minutes(15)))
  func ours() throws {
    let count = Effort.pick(1_000, long: 40_000)
    let (writers, readers) = try run("ours", each: count)
    for writer in writers {
      #expect(writer["failures"]?.array == [])
      #expect(try writer.count("appended") == count)
    }
    // Calls that lose against another one take no number with them.
    #expect(try writers.reduce(0) { try $0 + $1.count("conflicts") } > 0)
    for reader in readers {
      #expect(try reader.count("skips") == 0)
      #expect(try reader.count("repeats") == 0)
      #expect(try reader.count("seen") == 2 * count)
    }
  }

  @Test("is not what a sequence and a commit give: the same readers find that events are skipped")
  func naive() throws {
    let (writers, readers) = try run("naive", each: 1_000)
    #expect(try writers.reduce(0) { try $0 + $1.count("appended") } == 2_000)
    #expect(try readers.reduce(0) { try $0 + $1.count("skips") } > 0)
    #expect(try readers.contains { try $0.count("seen") < 2_000 }, "what was skipped is never read")
  }
}

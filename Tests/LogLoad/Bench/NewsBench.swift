import JSON
import Service

/// How long an event is on its way from the call of `append` in one process until another process has read it.
struct NewsBench {
  let folder: String
  let seconds: Double

  func run() throws -> [BenchRow] {
    let log = folder + "/log"
    let barrier = folder + "/barrier"
    for path in [log, barrier] { try Files.makeFolder(path) }
    defer { for path in [log, barrier] { _ = try? Files.removeFolder(path) } }
    let writer = try Child(
      "log-load",
      [
        "write", "--folder", log, "--label", "writer", "--seconds", BenchRow.text(seconds), "--pause-us", "2000",
        "--barrier", barrier,
      ], output: folder + "/writer.out")
    let reader = try Child(
      "log-load", ["read", "--folder", log, "--label", "reader", "--patience-ms", "1500", "--barrier", barrier],
      output: folder + "/reader.out")
    try Barrier.release(barrier, ["writer", "reader"])
    let written = try writer.result()
    let read = try reader.result()
    guard try read.integer("seen") == written.integer("appended"), try read.integer("skips") == 0 else {
      throw LoadError("the reader missed something: \(read.text()) of \(written.text())")
    }
    return try ["p50Us", "p99Us", "worstUs"].map { member in
      let seen = try Double(read.integer(member)) / 1_000
      let own = try Double(written.integer(member)) / 1_000
      return BenchRow(
        "news.\(member)", "append to seen by the other process, \(member.dropLast(2))", seen, "ms",
        to: ("the append itself", own), asked: member == "p99Us" ? "below 5 ms" : nil,
        isMet: member == "p99Us" ? seen < 5 : nil)
    }
  }
}

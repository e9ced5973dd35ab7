import Glibc
import JSON
import SQLite
import Service

/// Durable appends of real bodies by 1, 8 and 64 writers, in one process and shared by two.
struct AppendBench {
  let folder: String
  let seconds: Double

  func run() throws -> [BenchRow] {
    var rows: [BenchRow] = []
    // What one commit of one notification writes: the limit of a single writer is a sync of that size.
    let commitBytes = try bytesOfOneCommit()
    let disk = DiskLimit(folder: folder)
    let one = try disk.syncs(ofBytes: commitBytes, seconds: 2)
    rows.append(
      BenchRow("disk.commit.perSecond", "fdatasync after \(commitBytes) bytes, one commit's", one.perSecond, "/s"))
    rows.append(latency("disk.commit", "  its latency", one.latencies.members()))
    var single = 0.0
    for writers in [1, 8, 64] {
      for processes in [1, 2] where writers >= processes {
        let before = try disk.syncs(ofBytes: commitBytes, seconds: 0.5).perSecond
        let results = try append(writers: writers, processes: processes)
        let after = try disk.syncs(ofBytes: commitBytes, seconds: 0.5).perSecond
        let limit = (before + after) / 2
        let rate = try results.reduce(0.0) { try $0 + Double($1.integer("perSecond")) }
        if writers == 1 { single = rate }
        let key = "append.\(writers).\(processes)"
        let name =
          "appends, \(writers) writer\(writers == 1 ? "" : "s") in \(processes == 1 ? "one process" : "two processes")"
        rows.append(BenchRow("\(key).perSecond", name, rate, "/s", to: ("fdatasync/s", limit)))
        for member in ["p50Us", "p99Us", "worstUs"] {
          let value = try results.map { try Double($0.integer(member)) }.max() ?? 0
          let isWorst = member == "worstUs" && writers == 64
          rows.append(
            BenchRow(
              "\(key).\(member)", "  \(member.dropLast(2))", value / 1_000, "ms",
              asked: isWorst ? "below 50 ms" : nil, isMet: isWorst ? value < 50_000 : nil))
        }
        if writers == 64 {
          rows.append(
            BenchRow(
              "\(key).toSingle", "  against the single writer", rate, "/s", to: ("single writer", single),
              asked: "4 times, goal 6", isMet: rate >= 4 * single))
        }
        if processes == 2 {
          let appended = try results.map { try Double($0.integer("appended")) }
          let share = 100 * (appended.min() ?? 0) / max(1, appended.reduce(0, +))
          rows.append(
            BenchRow("\(key).share", "  share of the slower process", share, "%", asked: "45 %", isMet: share >= 45))
        }
      }
    }
    return rows
  }

  private func append(writers: Int, processes: Int) throws -> [JSONValue] {
    let log = folder + "/log"
    let barrier = folder + "/barrier"
    for path in [log, barrier] { try Files.makeFolder(path) }
    defer { for path in [log, barrier] { _ = try? Files.removeFolder(path) } }
    let children = try (1...processes).map { number in
      try Child(
        "log-load",
        [
          "write", "--folder", log, "--label", "writer\(number)", "--threads", String(writers / processes),
          "--seconds", BenchRow.text(seconds), "--barrier", barrier,
        ], output: "\(folder)/writer\(number).out")
    }
    try Barrier.release(barrier, (1...processes).map { "writer\($0)" })
    return try children.map { try $0.result() }
  }

  /// By as few commits as no checkpoint comes after: the write-ahead log would begin anew.
  private func bytesOfOneCommit() throws -> Int {
    let commits = 100
    let log = folder + "/log"
    try Files.makeFolder(log)
    defer { _ = try? Files.removeFolder(log) }
    let child = try Child(
      "log-load", ["write", "--folder", log, "--count", "\(commits)"], output: folder + "/commit.out")
    _ = try child.result()
    var status = stat()
    guard stat(log + "/events.sqlite-wal", &status) == 0 else { throw LoadError("\(log) has no write-ahead log") }
    return max(4_096, Int(status.st_size) / commits)
  }

  private func latency(_ key: String, _ name: String, _ members: JSONObject) -> BenchRow {
    BenchRow("\(key).p50Us", name, Double(members["p50Us"]?.int64 ?? 0) / 1_000, "ms")
  }
}

extension JSONValue {
  func integer(_ key: String) throws(LoadError) -> Int64 {
    guard let value = self[key]?.int64 else { throw LoadError("\(key) is missing in \(text())") }
    return value
  }
}

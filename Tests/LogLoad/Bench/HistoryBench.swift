import Cryptography
import EventLog
import Glibc
import JSON
import SQLite
import Service

/// What a long history costs: opening it, proving it, reading it again, building the projection anew.
struct HistoryBench {
  let folder: String
  let count: Int

  /// - Parameters:
  ///   - progress: told what has been made.
  ///   - fault: told what could not be measured; the rest stands.
  func run(
    _ shape: HistoryShape, progress: (String) -> Void, fault: (String) -> Void
  ) throws -> [BenchRow] {
    let log = folder + "/history"
    _ = try? Files.removeFolder(log)
    try Files.makeFolder(log)
    defer { _ = try? Files.removeFolder(log) }
    let began = MonotonicClock.nanoseconds()
    try History(folder: log, shape: shape, count: count).make()
    progress("a history of \(count) events (\(shape.rawValue)) made in \(Int(seconds(since: began))) s")
    let scan = try self.scan(log)
    let limit = (name: "SQL scan of data, events/s", value: scan)
    let key = "history.\(shape.rawValue)"
    let about = shape == .mix ? "3 % about refunds" : "each in a case"
    var rows = [BenchRow("\(key).scan.perSecond", "\(count) events, \(about): SQL scan of data", scan, "events/s")]
    if shape == .mix {
      rows += try opening(log)
      rows.append(try verify(log, limit))
      rows.append(try replay(log, limit))
      rows += try disk(log)
    }
    let asked = shape == .mix ? 250_000 : 40_000
    do {
      rows.append(
        try rebuild(log, "\(key).rebuild.perSecond", "refundlog rebuild, all of the program's time", limit).rate)
      rows += try rebuildBesideAppends(log, "\(key).rebuild", asked: asked, limit)
    } catch {
      fault("the rebuild: \(error)")
    }
    return rows
  }

  private func seconds(since began: Int64) -> Double { Double(MonotonicClock.nanoseconds() - began) / 1e9 }

  /// Plain SQL over the same file: the machine's own limit for whatever reads all events. The second pass counts, when
  /// the file is in memory as far as it can be.
  private func scan(_ log: String) throws -> Double {
    let sqlite = try SQLiteConnection(path: log + "/events.sqlite", mode: .readOnly)
    var rate = 0.0
    for _ in 0..<2 {
      let began = MonotonicClock.nanoseconds()
      let bytes = try sqlite.row("SELECT sum(length(CAST(data AS BLOB))) FROM events") { $0.integer(0) }
      guard bytes ?? 0 > 0 else { throw LoadError("the history is empty") }
      rate = Double(count) / seconds(since: began)
    }
    return rate
  }

  private func opening(_ log: String) throws -> [BenchRow] {
    var times: [Double] = []
    for _ in 0..<5 {
      let began = MonotonicClock.nanoseconds()
      let opened = try LocalEventLog(
        folder: log, access: .readWrite,
        parts: LogParts(clock: WallClock.system.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid))
      guard try opened.head().position.value == count else { throw LoadError("the history has another end") }
      times.append(seconds(since: began) * 1_000)
      opened.close()
    }
    let worst = times.max() ?? 0
    return [
      BenchRow(
        "open.ms", "opening it and reading the head, worst of 5", worst, "ms", asked: "below 200 ms", isMet: worst < 200
      )
    ]
  }

  private func verify(_ log: String, _ limit: (name: String, value: Double)) throws -> BenchRow {
    let began = MonotonicClock.nanoseconds()
    let proof = try LogVerifier(folder: log).verify()
    guard proof.events == count else { throw LoadError("verify found \(proof.events) events of \(count)") }
    let rate = Double(count) / seconds(since: began)
    return BenchRow(
      "verify.perSecond", "log verify", rate, "events/s", to: limit, asked: "200000", isMet: rate >= 200_000)
  }

  private func replay(_ log: String, _ limit: (name: String, value: Double)) throws -> BenchRow {
    let opened = try LocalEventLog(
      folder: log, access: .readOnly,
      parts: LogParts(clock: WallClock.system.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid))
    var bookmark = Bookmark(startOf: opened.identity)
    let began = MonotonicClock.nanoseconds()
    while true {
      let events = try opened.read(after: bookmark, limit: 1_000)
      if events.isEmpty { break }
      for event in events { bookmark = bookmark.passing(event) }
    }
    guard bookmark.position.value == count else { throw LoadError("the replay ended at \(bookmark.position)") }
    return BenchRow(
      "replay.perSecond", "replay by bookmark to the end", Double(count) / seconds(since: began), "events/s", to: limit)
  }

  private func disk(_ log: String) throws -> [BenchRow] {
    var status = stat()
    guard stat(log + "/events.sqlite", &status) == 0 else { throw LoadError("the history is gone") }
    let each = Double(status.st_size) / Double(count)
    let sqlite = try SQLiteConnection(path: log + "/events.sqlite", mode: .readOnly)
    let payload = try sqlite.row(
      "SELECT sum(length(CAST(data AS BLOB)) + length(seams)) FROM events WHERE position <= 1000"
    ) { Double($0.integer(0)) / Double(min(1_000, count)) }
    return [
      BenchRow(
        "disk.bytes", "bytes on disk per notification, all in", each, "bytes",
        to: ("data and seams, bytes", payload ?? 0), asked: "3000, goal 2200", isMet: each <= 3_000)
    ]
  }

  /// The same while a service goes on appending some fifty events a second, four million a day.
  private func rebuildBesideAppends(
    _ log: String, _ key: String, asked: Int, _ limit: (name: String, value: Double)
  ) throws -> [BenchRow] {
    let barrier = folder + "/beside"
    try Files.makeFolder(barrier)
    defer { _ = try? Files.removeFolder(barrier) }
    let writer = try Child(
      "log-load",
      ["write", "--folder", log, "--label", "beside", "--pause-us", "20000", "--seconds", "600", "--barrier", barrier],
      output: folder + "/beside.out")
    defer { writer.kill() }
    try Barrier.release(barrier, ["beside"])
    var (rate, memory) = try rebuild(log, "\(key).besideAppends.perSecond", "  while appends go on", limit)
    rate.asked = "\(asked)"
    rate.isMet = rate.value >= Double(asked)
    let head = try head(log)
    guard head > count else { throw LoadError("nothing was appended meanwhile") }
    return [
      rate,
      BenchRow(
        "\(key).besideAppends.memory", "  its peak memory", Double(memory) / 1_048_576, "MiB", asked: "below 150 MB",
        isMet: memory < 150_000_000),
    ]
  }

  private func head(_ log: String) throws -> Int64 {
    let sqlite = try SQLiteConnection(path: log + "/events.sqlite", mode: .readOnly)
    return try sqlite.row("SELECT max(position) FROM events") { $0.integer(0) } ?? 0
  }

  private func rebuild(
    _ log: String, _ key: String, _ name: String, _ limit: (name: String, value: Double)
  ) throws -> (rate: BenchRow, memoryBytes: Int64) {
    let ended = try Child("refundlog", ["rebuild", "--data", log, "--json"], output: folder + "/rebuild.out").end()
    guard ended.code == 0, let result = ended.result else {
      let text = String(decoding: (try? Files.read(folder + "/rebuild.out", bytesMax: 65_536)) ?? [], as: UTF8.self)
      throw LoadError("refundlog rebuild ended with \(ended.code): \(text.suffix(300))")
    }
    guard try result.integer("events") >= count else {
      throw LoadError("the rebuild left events out: \(result.text())")
    }
    return (
      BenchRow(key, name, Double(count) / ended.seconds, "events/s", to: limit),
      Int64(try result.integer("peakMemoryBytes"))
    )
  }
}

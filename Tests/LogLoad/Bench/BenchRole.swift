import EventLog
import Glibc
import JSON
import SQLite
import Service

/// `make bench`: each figure beside what the machine can do, measured in the same minutes.
struct BenchRole {
  private let folder: String
  private let count: Int
  private let seconds: Double
  private let jsonPath: String
  private let only: Set<String>
  /// Of which a part is compared with httpx.
  private let python: String
  private static let parts = ["append", "news", "answer", "mix", "cases"]

  init(_ options: LoadOptions) throws {
    // A file system of its own kind would measure something else: what is built lies where the project does.
    folder = (options.arguments["folder"] ?? ".build") + "/bench.\(getpid())"
    count = max(4_000, try options.integer("events", or: 1_000_000))
    seconds = try options.seconds("seconds", or: 5)
    jsonPath = options.arguments["json"] ?? "bench.json"
    only = Set((options.arguments["only"].map { $0.split(separator: ",").map(String.init) }) ?? Self.parts)
    python = options.arguments["python"] ?? getenv("REFUNDLOG_PYTHON").map { String(cString: $0) } ?? "python3"
  }

  /// - Returns: whether every part ran.
  func run() throws -> Bool {
    try Files.makeFolder(folder)
    defer { _ = try? Files.removeFolder(folder) }
    let loadBefore = MachineUse.load
    let whole = MachineUse()
    var rows: [BenchRow] = []
    var notes: [String] = []
    var parts = JSONObject()
    for part in Self.parts where only.contains(part) {
      let use = MachineUse()
      let began = MonotonicClock.milliseconds()
      do {
        let found = try measure(part, remark: { notes.append($0) }) {
          notes.append("\(part) was not measured in full: \($0)")
        }
        rows += found
        say(BenchTable.text(found))
      } catch { notes.append("\(part) was not measured: \(error)") }
      let others = use.otherCores()
      parts[part] = [
        "otherCores": BenchRow.number(others), "milliseconds": .count(Int(MonotonicClock.milliseconds() - began)),
      ]
      if others > Self.otherCoresMax {
        notes.append("\(part): others kept \(BenchRow.text(others)) cores busy; do not keep these figures")
      }
    }
    if loadBefore > 0.5 { notes.append("the load was \(BenchRow.text(loadBefore)) before the start") }
    say(
      "\(MachineUse.cores) cores, load \(BenchRow.text(loadBefore)) before and \(BenchRow.text(MachineUse.load)) after, "
    )
    say("\(BenchRow.text(whole.otherCores())) cores used by others meanwhile\n")
    for note in notes { say("warning: \(note)\n") }
    try write(rows, notes, parts, loadBefore, whole, to: jsonPath)
    return !notes.contains { $0.contains("was not measured") }
  }

  /// Kernel threads that write pages back are among the others.
  private static let otherCoresMax = 0.2

  private func measure(
    _ part: String, remark: (String) -> Void, fault: (String) -> Void
  ) throws -> [BenchRow] {
    switch part {
    case "append": try AppendBench(folder: folder, seconds: seconds).run()
    case "news": try NewsBench(folder: folder, seconds: seconds).run()
    case "answer": try AnswerBench(folder: folder, seconds: seconds, python: python).run(remark: remark)
    default:
      try HistoryBench(folder: folder, count: count).run(
        HistoryShape(rawValue: part)!, progress: { say("\($0)\n") }, fault: fault)
    }
  }

  private func write(
    _ rows: [BenchRow], _ notes: [String], _ parts: JSONObject, _ loadBefore: Double, _ use: MachineUse, to path: String
  ) throws {
    let machine: JSONObject = [
      "cores": .count(MachineUse.cores), "loadBefore": BenchRow.number(loadBefore),
      "loadAfter": BenchRow.number(MachineUse.load), "otherCores": BenchRow.number(use.otherCores()),
    ]
    let result: JSONObject = [
      "at": .string(RFC3339.text(WallClock.system.now())), "machine": .object(machine), "parts": .object(parts),
      "rows": .array(rows.map(\.json)), "warnings": .array(notes.map { .string($0) }),
    ]
    try Files.write(Array((JSONValue.object(result).text() + "\n").utf8), to: path)
  }

  private func say(_ words: String) { LoadProgram.write(words, to: 1) }
}

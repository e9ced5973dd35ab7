import EventLog
import JSON
import Responder
import Service

/// `refundlog rebuild`
struct Rebuild: Command {
  static let page = CommandPage(
    name: "rebuild",
    summary: "Makes the responder's projection anew from the log and puts it in the place of the old one",
    details: """
      A running responder serves from the old one meanwhile, goes on from the new one by itself, and sends nothing for
      it. Killed at any moment, the next run goes on from there. --json gives one object at the end: events, seconds,
      eventsPerSecond, peakMemoryBytes, resumed, stuck, path.
      """,
    options: [.data, .settings, .json])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    asJSON = arguments.has("json")
  }

  func run() throws(CommandError) {
    let report: ProjectionRebuild.Report
    var telling = RebuildTelling(isTerminal: surroundings.showsProgress)
    do throws(ProjectionRebuild.Failure) {
      report = try ProjectionRebuild(folder: folder).run { progress in
        if let text = telling.text(progress, at: MonotonicClock.milliseconds()) { surroundings.complain(text) }
      }
    } catch {
      surroundings.complain(telling.end)
      throw CommandError(error)
    }
    surroundings.complain(telling.end)
    let rate = report.events * 1_000 / max(1, report.milliseconds)
    let memory = PeakMemory.bytes()
    if asJSON {
      var found: JSONObject = [
        "events": .number(JSONNumber(report.events)), "seconds": .number(JSONNumber.thousandths(report.milliseconds)),
        "eventsPerSecond": .number(JSONNumber(rate)), "resumed": .bool(report.isResumed),
        "stuck": .number(JSONNumber(Int64(report.stuck))), "path": .string(report.path),
      ]
      found["peakMemoryBytes"] = memory.map { .number(JSONNumber($0)) }
      return surroundings.print(JSONValue.object(found).text() + "\n")
    }
    let seconds = JSONNumber.thousandths(report.milliseconds).text
    var lines = "\(report.path) is new: \(report.events) events in \(seconds) s, \(rate) events/s\n"
    if report.isResumed { lines += "it went on with what an earlier run had done\n" }
    if report.stuck > 0 {
      lines += "\(report.stuck) streams hold an event that this release cannot read; refundlog cases shows them\n"
    }
    surroundings.print(lines)
  }
}

extension JSONNumber {
  /// Thousandths as a number with three decimals.
  fileprivate static func thousandths(_ value: Int64) -> JSONNumber {
    let rest = String(value % 1_000)
    return JSONNumber("\(value / 1_000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)")!
  }
}

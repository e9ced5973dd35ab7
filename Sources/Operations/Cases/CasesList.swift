import Contracts
import JSON
import Responder
import Service

/// `refundlog cases`
struct CasesList: Command {
  static let page = CommandPage(
    name: "cases", summary: "Lists cases with a clock to their deadlines, what is due first at the top",
    details: """
      States: \(CasePhase.allCases.map(\.rawValue).joined(separator: ", ")). open finds the waiting ones too.
      «Due» is when an answer should be out, «closed» when Apple takes none any more; in between it is sent, late.
      """,
    options: [
      CommandOption(name: "state", value: "WORD", meaning: "cases in this state"),
      CommandOption(name: "app", value: "BUNDLE-ID", meaning: "cases of this app"),
      CommandOption(name: "environment", value: "WORD", meaning: "Production or Sandbox"),
      CommandOption(
        name: "due-before", value: "INSTANT",
        meaning: "due before 2026-11-30T09:00:00Z, or within 90m, 6h, 2d from now"),
      CommandOption(name: "limit", value: "N", meaning: "at most this many, 1 to 200; default 50"),
      CommandOption(name: "after", value: "TEXT", meaning: "goes on where a list ended, which says how"),
      .data, .settings, .json,
    ])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let clock: WallClock
  private let query: CaseQuery
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    clock = try SettingsFile.clock(arguments, surroundings)
    asJSON = arguments.has("json")
    query = try Self.query(arguments, now: clock.now())
  }

  func run() throws(CommandError) {
    let reader = try CaseReader.reading(folder, clock: clock)
    let list: CaseList
    do throws(CaseReaderError) { list = try reader.cases(matching: query) } catch { throw CommandError(error) }
    if asJSON { return surroundings.print(list.json.text() + "\n") }
    if let since = list.sendingPausedSince { surroundings.print(CaseText.paused(since: since) + "\n") }
    if list.cases.isEmpty { surroundings.print("No case fits.\n") }
    surroundings.print(
      Table(
        header: ["CASE", "APP", "PRODUCT", "STATE", "DUE", "CLOSED", "WAITS FOR, OR WHAT CAME OF IT"],
        rows: list.cases.map(row)
      ).description)
    if let next = list.next { surroundings.print("There are more: add --after \(AbsolutePath.quoted(next))\n") }
  }

  private static func query(_ arguments: Arguments, now: Int64) throws(CommandError) -> CaseQuery {
    var query = CaseQuery(
      apps: arguments["app"].map { [$0] }, environment: arguments["environment"], after: arguments["after"])
    if let text = arguments["state"] {
      guard let phase = CasePhase(rawValue: text) else {
        let known = CasePhase.allCases.map(\.rawValue)
        let near = Nearest.word(to: text, among: known).map { "; did you mean \($0)?" } ?? ""
        throw page.usageError("--state is \(Shown.text(text)); allowed are \(known.joined(separator: ", "))\(near)")
      }
      query.phase = phase
    }
    if let text = arguments["due-before"] {
      guard let instant = instant(text, now: now) else {
        throw page.usageError(
          "--due-before is \(Shown.text(text)); allowed is 2026-11-30T09:00:00Z, or a span such as 90m, 6h, 2d")
      }
      query.dueBefore = instant
    }
    if let text = arguments["limit"] {
      guard let limit = Int(text), CaseQuery.limits.contains(limit) else {
        throw page.usageError("--limit is \(Shown.text(text)); allowed is 1 to 200")
      }
      query.limit = limit
    }
    return query
  }

  private func row(_ summary: CaseSummary) -> [String] {
    let deadline = Deadline(now: clock.now())
    return [
      summary.purchase.description, summary.app ?? "-", summary.productID ?? "-",
      summary.phase.rawValue + (summary.isStuck ? ", stuck" : ""), summary.due.map(deadline.due) ?? "-",
      summary.closed.map(deadline.closed) ?? "-", Self.gist(summary),
    ]
  }

  private static func gist(_ summary: CaseSummary) -> String {
    if let waiting = summary.waitsFor { return waiting }
    if let outcome = summary.outcome {
      return outcome.rawValue + (summary.extent.map { ", \($0.rawValue)" } ?? "")
        + (summary.isWithoutRequest ? ", without request" : "") + (summary.isUpgraded ? ", upgraded" : "")
    }
    return summary.withheld?.rawValue ?? "-"
  }

  /// nil where the text is neither an instant nor a span.
  private static func instant(_ text: String, now: Int64) -> Int64? {
    if let instant = RFC3339.milliseconds(text) { return instant }
    let units: [Character: Int64] = ["m": 60_000, "h": 3_600_000, "d": 86_400_000]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), (0...100_000).contains(count)
    else { return nil }
    return now + count * unit
  }
}

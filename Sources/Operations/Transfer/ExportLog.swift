import Contracts
import EventLog
import Service

/// `refundlog log export`
struct ExportLog: Command {
  static let page = CommandPage(
    name: "log export", summary: "Gives events away as CloudEvents, one a line, or the whole log bit for bit",
    details: """
      Both are of one instant and beside running services. --lossless is for log import: each column as it is, salts and
      signatures included, and the log's secret; keep it as you keep a backup. Either may hold personal data.
      """,
    options: [
      .data, .settings, CommandOption(name: "output", value: "FILE", meaning: "a new file instead of standard output"),
      CommandOption(name: "after", value: "POSITION", meaning: "events after this position"),
      CommandOption(name: "types", value: "NAMES", meaning: "events of these types, such as Outcome,ConsumptionSent"),
      CommandOption(name: "stream", value: "NAME", meaning: "one stream, such as purchase/Production/2000000000000940"),
      CommandOption(name: "lossless", value: nil, meaning: "the whole log, to be imported elsewhere"),
    ])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let output: String?
  private let isLossless: Bool
  private let after: Position
  private let types: Set<String>?
  private let stream: StreamName?

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    output = arguments["output"]
    isLossless = arguments.has("lossless")
    stream = arguments["stream"].map { StreamName($0) }
    types = arguments["types"].map { Set($0.split(separator: ",").map(String.init)) }
    if types?.isEmpty ?? false { throw Self.page.usageError("--types names no type") }
    if types?.count ?? 0 > 500 { throw Self.page.usageError("--types names more than 500 types") }
    guard let value = Int64(arguments["after"] ?? "0"), value >= 0 else {
      throw Self.page.usageError("--after is \(Shown.text(arguments["after"]!)); allowed is a position, 0 or more")
    }
    after = Position(value)
    guard isLossless else { return }
    if after > .start || types != nil || stream != nil {
      throw Self.page.usageError("a lossless copy is of the whole log: --after, --types and --stream do not go with it")
    }
    if output == nil, surroundings.isTerminal {
      throw Self.page.usageError(
        "a lossless copy holds the log's secret, which belongs on no terminal: add --output FILE")
    }
  }

  func run() throws(CommandError) {
    do throws(TransferError) {
      let export = try LogExport(folder: folder)
      let target = try ExportTarget(path: output, print: surroundings.print)
      let events = try isLossless ? lossless(export, to: target) : cloudEvents(export, to: target)
      try target.finish()
      if let output { surroundings.print("\(output): \(events) events of log \(export.identity.id)\n") }
    } catch { throw CommandError(error) }
  }

  private func lossless(_ export: LogExport, to target: ExportTarget) throws(TransferError) -> Int64 {
    try export.lossless { line throws(TransferError) in try target.put(line) }.events
  }

  private func cloudEvents(_ export: LogExport, to target: ExportTarget) throws(TransferError) -> Int64 {
    var unseen = (types ?? []).filter { !EventType.knows($0) }
    let events = try export.events(after: after, types: types, stream: stream) { event throws(TransferError) in
      if !unseen.isEmpty { unseen.remove(event.type) }
      try target.put(CloudEvent(event, of: export.identity).encoded() + [UInt8(ascii: "\n")])
    }
    try warn(unseen, of: export)
    if events == 0, let stream {
      surroundings.complain(
        "refundlog: no event of the stream \(Shown.text(stream.text)) was there to be exported; refundlog cases lists "
          + "purchases, whose streams are purchase/ENVIRONMENT/TRANSACTION\n")
    }
    return events
  }

  /// What was exported is right, and perhaps not what was meant.
  private func warn(_ unseen: Set<String>, of export: LogExport) throws(TransferError) {
    let head = try export.head()
    if after > head {
      surroundings.complain("refundlog: the log ends at position \(head), so there is nothing after \(after)\n")
    }
    let names = EventType.allCases.map(\.rawValue)
    for type in unseen.sorted() {
      // A newer release may have written it, so it is no fault.
      let near = Nearest.word(to: type, among: names).map { "; did you mean \($0)?" }
      surroundings.complain(
        "refundlog: no event of the type \(Shown.text(type)) was there, and this release knows no such type"
          + (near ?? "; it knows \(names.joined(separator: ", "))") + "\n")
    }
  }
}

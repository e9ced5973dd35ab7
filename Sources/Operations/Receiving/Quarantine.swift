import Cryptography
import JSON
import Receiver
import Service

/// `refundlog quarantine`
struct Quarantine: Command {
  static let page = CommandPage(
    name: "quarantine", summary: "Lists notes of bodies that were refused, those first that came last",
    details: """
      None of it is in the log, and none of it can become good. The place is bounded: old notes give way to new ones.
      Anybody can post anything, so nothing shown here is to be believed. refundlog explain takes a body step by step.
      """,
    options: [
      CommandOption(name: "limit", value: "N", meaning: "at most this many, 1 to 1000; default 100"), .data, .settings,
      .json,
    ])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let limit: Int
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    limit = try Self.limit(arguments, Self.page)
    asJSON = arguments.has("json")
  }

  func run() throws(CommandError) {
    let notes: [QuarantineNote]
    do throws(ReceiverStateError) { notes = try ReceiverState(folder: folder).quarantine(limit: limit) } catch {
      throw CommandError(error)
    }
    if asJSON {
      return surroundings.print(JSONValue.object(["quarantine": .array(notes.map(json))]).text() + "\n")
    }
    if notes.isEmpty { return surroundings.print("Nothing was refused.\n") }
    for note in notes {
      let ago = Shown.span(surroundings.clock.now() - note.lastReceivedAt)
      surroundings.print(
        "\(note.id)  \(RFC3339.text(note.lastReceivedAt)), \(ago) ago  \(Shown.text(note.code)) from "
          + "\(Shown.text(note.remoteAddress))\(note.deliveries > 1 ? ", \(note.deliveries) times" : "")\n"
          + "    \(Shown.text(note.detail))\n"
          + "    \(note.bodyBytes) bytes: \(Shown.text(String(decoding: note.excerpt.prefix(160), as: UTF8.self)))\n")
    }
  }

  static func limit(_ arguments: Arguments, _ page: CommandPage) throws(CommandError) -> Int {
    guard let text = arguments["limit"] else { return 100 }
    guard let limit = Int(text), (1...1_000).contains(limit) else {
      throw page.usageError("--limit is \(Shown.text(text)); allowed is 1 to 1000")
    }
    return limit
  }

  private func json(_ note: QuarantineNote) -> JSONValue {
    [
      "number": .number(JSONNumber(note.id)), "code": .string(note.code), "detail": .string(note.detail),
      "remoteAddress": .string(note.remoteAddress), "bodyBytes": .number(JSONNumber(note.bodyBytes)),
      "bodyDigest": .string(Hex.encode(note.digest)), "deliveries": .number(JSONNumber(note.deliveries)),
      "firstReceivedAt": .number(JSONNumber(note.firstReceivedAt)),
      "lastReceivedAt": .number(JSONNumber(note.lastReceivedAt)),
      "excerpt": .string(String(decoding: note.excerpt, as: UTF8.self)),
    ]
  }
}

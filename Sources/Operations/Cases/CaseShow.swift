import Contracts
import JSON
import Responder
import Service

/// `refundlog case`
struct CaseShow: Command {
  static let page = CommandPage(
    name: "case", words: ["ID"],
    summary: "One case to read aloud: what was bought, why they ask, what we said and why, what came of it",
    details: "ID is a transaction id, or ENVIRONMENT/ID where it is a case in both.",
    options: [.data, .settings, .json])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let clock: WallClock
  private let name: String
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    clock = try SettingsFile.clock(arguments, surroundings)
    name = arguments.words[0]
    asJSON = arguments.has("json")
  }

  func run() throws(CommandError) {
    let page = try CaseReader.reading(folder, clock: clock).page(named: name)
    surroundings.print(asJSON ? page.json.text() + "\n" : CaseText(page: page, now: clock.now()).description)
  }
}

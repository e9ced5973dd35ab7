import Contracts
import Responder
import Service

/// `refundlog tokens add`
struct TokensAdd: Command {
  static let page = CommandPage(
    name: "tokens add", words: ["NAME"], summary: "Makes a token for a caller of the responder's API and shows it once",
    details: """
      NAME says who shows it, and stands as «by» in the events that follow. Only its digest is kept. Scopes:
      backend (states consents, evidence and the like), read (looks at cases), support (holds, releases, prefers,
      answers), operate (everything). A running responder takes it at once.
      """,
    options: [
      CommandOption(name: "scopes", value: "LIST", meaning: "backend, read, support, operate; with commas between"),
      CommandOption(name: "apps", value: "LIST", meaning: "bundle ids it is for, with commas between; default: all"),
      .data, .settings,
    ])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let name: String
  private let scopes: Set<APIScope>
  private let bundleIDs: Set<String>?

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    name = arguments.words[0]
    guard let list = arguments["scopes"] else {
      throw Self.page.usageError("--scopes is missing; allowed are backend, read, support, operate")
    }
    var scopes: Set<APIScope> = []
    for word in list.split(separator: ",").map(String.init) {
      guard let scope = APIScope(rawValue: word) else {
        throw Self.page.usageError("--scopes holds \(Shown.text(word)); allowed are backend, read, support, operate")
      }
      scopes.insert(scope)
    }
    self.scopes = scopes
    bundleIDs = arguments["apps"].map { Set($0.split(separator: ",").map(String.init)) }
  }

  func run() throws(CommandError) {
    let token: String
    do throws(APITokensError) {
      token = try APITokens(folder: folder, clock: surroundings.clock).add(
        name: name, scopes: scopes, bundleIDs: bundleIDs)
    } catch { throw CommandError(error) }
    surroundings.print("\(token)\n")
    surroundings.complain("This is shown once: put it where \(name) keeps its secrets.\n")
  }
}

extension CommandError {
  init(_ error: APITokensError) {
    switch error {
    case .store: self.init(.unavailable, error.description)
    case .nameInvalid, .nameReserved, .nameTaken, .noScopes, .bundleIDInvalid, .tooMany, .absent:
      self.init(.failure, Shown.text(error.description))
    }
  }
}

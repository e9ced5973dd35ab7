import Contracts
import JSON
import Responder
import Service

/// `refundlog tokens list`
struct TokensList: Command {
  static let page = CommandPage(
    name: "tokens list", summary: "Lists the tokens that ever were: name, scopes, apps, since when",
    details: "The token that the setting responder.tokenFile names is not among them.",
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
    let tokens: [APIToken]
    do throws(APITokensError) {
      tokens = try APITokens.existing(folder: folder, clock: surroundings.clock)?.list() ?? []
    } catch { throw CommandError(error) }
    if asJSON {
      let list: JSONValue = ["tokens": .array(tokens.map(Self.json))]
      return surroundings.print(list.text() + "\n")
    }
    if tokens.isEmpty { return surroundings.print("There is no token; refundlog tokens add makes one.\n") }
    let rows = tokens.map { token in
      [
        token.name, Self.scopes(token).joined(separator: ", "),
        token.bundleIDs.map { $0.sorted().joined(separator: ", ") } ?? "all apps", RFC3339.text(token.createdAt),
        token.revokedAt.map { "removed \(RFC3339.text($0))" } ?? "in force",
      ]
    }
    surroundings.print("\(Table(header: ["NAME", "SCOPES", "APPS", "MADE", "STATE"], rows: rows))")
  }

  private static func scopes(_ token: APIToken) -> [String] { token.scopes.map(\.rawValue).sorted() }

  private static func json(_ token: APIToken) -> JSONValue {
    var object: JSONObject = [
      "name": .string(token.name), "scopes": .array(scopes(token).map { .string($0) }),
      "createdAt": .number(JSONNumber(token.createdAt)),
    ]
    object["bundleIds"] = token.bundleIDs.map { .array($0.sorted().map { .string($0) }) }
    object["revokedAt"] = token.revokedAt.map { .number(JSONNumber($0)) }
    return .object(object)
  }
}

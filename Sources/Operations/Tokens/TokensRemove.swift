import Responder
import Service

/// `refundlog tokens remove`
struct TokensRemove: Command {
  static let page = CommandPage(
    name: "tokens remove", words: ["NAME"], summary: "Ends a token: from the next call on nobody gets in with it",
    options: [.data, .settings])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let name: String

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    name = arguments.words[0]
  }

  func run() throws(CommandError) {
    do throws(APITokensError) {
      guard let tokens = try APITokens.existing(folder: folder, clock: surroundings.clock) else { throw .absent(name) }
      try tokens.remove(name: name)
    } catch { throw CommandError(error) }
    surroundings.print("The token of \(name) lets nobody in any more.\n")
  }
}

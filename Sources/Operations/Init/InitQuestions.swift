import AppStore
import Service

/// Asks at a terminal for what nobody but the operator knows; elsewhere it names the flag.
struct InitQuestions {
  private let ask: ((String) -> String?)?
  private let isRehearsal: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, isRehearsal: Bool) {
    ask = surroundings.ask
    self.isRehearsal = isRehearsal
  }

  func completed(_ given: AppStatement, _ page: CommandPage) throws(CommandError) -> AppStatement {
    var statement = given
    if isRehearsal {
      // Names that nobody else has: a rehearsal is about no app of the store.
      statement.bundleID = statement.bundleID ?? "com.example.app"
      statement.environments = statement.environments ?? ["Sandbox"]
      guard statement.environments == ["Sandbox"] else {
        throw page.usageError("--rehearsal is for Sandbox alone, as the simulator stands for one environment")
      }
    }
    if statement.bundleID == nil {
      guard ask != nil else {
        throw page.usageError("--bundle-id is missing; nothing was written. With --rehearsal it has a default")
      }
      guard let answer = line("Bundle id of the app, as in App Store Connect: ") else {
        throw CommandError(.usage, "without a bundle id there is nothing to set up; nothing was written")
      }
      statement.bundleID = answer
    }
    if ask != nil, !isRehearsal { try askForOptional(&statement, page) }
    if ask != nil, statement.facts == nil { askForFacts(&statement) }
    if statement.appID == nil, statement.environmentsOrStandard.contains(ServerEnvironment.production.rawValue) {
      throw page.usageError("--app-id is missing: Production needs it; nothing was written")
    }
    return statement
  }

  private func askForOptional(_ statement: inout AppStatement, _ page: CommandPage) throws(CommandError) {
    if statement.appID == nil,
      let text = line("«Apple ID» number under App Information (empty: Sandbox only for now): ")
    {
      statement.appID = try AppStatement.appID(text, page)
    }
    if statement.key == nil, let file = line("Path of the In-App Purchase key, a .p8 file (empty: later): "),
      let id = line("Its key id: "), let issuer = line("Issuer id, above the keys: ")
    {
      statement.key = (AbsolutePath.of(file), id, issuer)
    }
  }

  private func askForFacts(_ statement: inout AppStatement) {
    let delivered = line("Is every product delivered when it is bought? yes, no, or empty where it differs: ")
    guard let delivered = delivered.flatMap(AppStatement.yes) else { return }
    let sample = line("Does a sample or trial come before every purchase? yes, no, or empty where it differs: ")
    guard let sample = sample.flatMap(AppStatement.yes) else { return }
    statement.facts = (delivered, sample)
  }

  /// nil where nothing was typed.
  private func line(_ question: String) -> String? {
    guard let typed = ask?(question) else { return nil }
    let text = typed.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    return text.isEmpty ? nil : String(text)
  }
}

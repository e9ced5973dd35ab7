import Contracts
import EventLog
import HTTPTypes
import JSON
import Responder
import Service

/// Where one story happens: the programs, and what is known of its purchase.
final class Scene {
  let stage: DemoStage
  private let narrator: Narrator
  /// Another one once a subscription has renewed.
  var purchase: DemoPurchase
  /// How many refund requests Apple was asked to make.
  var requests = 0
  /// In place of what the case tells, where a story is about more than that.
  var row: (told: String, ended: String)?

  init(stage: DemoStage, narrator: Narrator, purchase: DemoPurchase) {
    self.stage = stage
    self.narrator = narrator
    self.purchase = purchase
  }

  // MARK: Telling

  func tell(_ words: String) { narrator.tell(words, at: stage.clock.now) }
  func tell(_ words: String, at instant: Int64) { narrator.tell(words, at: instant) }
  func add(_ words: String) { narrator.say(words, indent: Narrator.indent + 2) }
  func quote(_ body: String) { narrator.quote(body) }

  // MARK: What is known

  /// The purchase's case; nil where there is none yet.
  func page() throws(CommandError) -> CasePage? {
    let cases = try stage.cases()
    do throws(CaseReaderError) { return try cases.page(of: purchase.key) } catch {
      throw CommandError(.failure, error.description)
    }
  }

  /// Calls about the purchase that the App Store was sent, oldest first.
  func calls() throws(CommandError) -> [JSONValue] {
    try stage.simulator(.get, "answers?transactionId=\(purchase.transaction)")["answers"]?.array ?? []
  }

  /// Bodies that the App Store took.
  func taken() throws(CommandError) -> [String] {
    try calls().filter { $0["status"]?.int64 == 202 }.compactMap { $0["body"]?.string }
  }

  /// Events of the purchase, oldest first.
  func events() throws(CommandError) -> [RecordedEvent] { try stage.events(of: purchase.key.stream) }

  // MARK: What must hold

  /// Looks until the case is as it has to be.
  func wait(
    for expected: String, _ holds: (CasePage) throws(CommandError) -> Bool
  ) throws(CommandError) -> CasePage {
    let found = try stage.look { () throws(CommandError) -> CasePage? in
      guard let page = try page(), try holds(page) else { return nil }
      return page
    }
    if let found { return found }
    throw Self.wrong(expected: expected, found: try standing())
  }

  func expect<Value: Equatable>(_ what: String, _ found: Value, is expected: Value) throws(CommandError) {
    guard found == expected else {
      throw Self.wrong(expected: "\(what): \(expected)", found: "\(found)")
    }
  }

  static func wrong(expected: String, found: String) -> CommandError {
    CommandError(.failure, "expected is \(expected); found was \(found)")
  }

  /// How the case stands, in words.
  private func standing() throws(CommandError) -> String {
    guard let page = try page() else { return "no case of this purchase" }
    var parts = page.requests.map(\.words)
    if let words = page.requests.last?.attempts.last?.explanation { parts.append("The last attempt: \(words).") }
    parts += page.outcomes.map(EndingWords.words)
    return parts.isEmpty ? "a case without a refund request" : parts.joined(separator: " ")
  }

  /// The story's line in the table.
  func row(_ title: String) throws(CommandError) -> StoryRow {
    if let row { return StoryRow(title: title, told: row.told, ended: row.ended) }
    let told = try taken()
    let words = told.last.map(AnswerWords.short) ?? "nothing"
    return StoryRow(
      title: title, told: told.count > 1 ? "\(words), at last" : words,
      ended: try page().map(EndingWords.of) ?? "")
  }
}

import Contracts
import Cryptography
import EventLog
import JSON
import Service

/// `refundlog log verify`
struct LogVerify: Command {
  static let page = CommandPage(
    name: "log verify",
    summary: "Proves that nothing in the log was altered, removed or inserted",
    details: "Names the first position where something was, and ends with 65 then. It works beside running services.",
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
    let proof: LogVerifier.Proof
    do throws(LogVerifier.Failure) { proof = try LogVerifier(folder: folder).verify() } catch {
      switch error {
      case .open(.damaged): throw CommandError(.damage, error.description)
      case .open: throw CommandError(.unavailable, error.description)
      case .damage: throw CommandError(.damage, error.description)
      }
    }
    try refuseUnexplained(proof.blanks)
    if asJSON {
      let found: JSONValue = [
        "log": .string(proof.log), "events": .number(JSONNumber(Int64(proof.events))),
        "head": .number(JSONNumber(proof.head.value)), "chain": .string(Hex.encode(proof.chain)),
        "erased": .number(JSONNumber(Int64(proof.blanks.count))),
      ]
      return surroundings.print(found.text() + "\n")
    }
    surroundings.print(
      """
      log \(proof.log): \(proof.events) events, nothing altered, removed or inserted
      head: position \(proof.head), chain \(Hex.encode(proof.chain))
      erased: \(proof.blanks.count)

      """)
  }

  /// A blank that no CustomerErased lists was not made by us.
  private func refuseUnexplained(_ blanks: [Position]) throws(CommandError) {
    if blanks.isEmpty { return }
    let log = try LocalEventLog.reading(folder)
    var explained: Set<Int64> = []
    var position = Position.start
    do throws(LogReadError) {
      while let last = try log.read(after: position, limit: 1_000).noting(&explained) { position = last }
    } catch { throw CommandError(error) }
    guard let damage = blanks.first(where: { !explained.contains($0.value) }) else { return }
    throw CommandError(
      .damage, "the log is damaged at position \(damage): it is blank and no CustomerErased event tells of it")
  }
}

extension [RecordedEvent] {
  /// Adds the positions that erasures among these tell of; gives the last position, nil where there are no events.
  fileprivate func noting(_ explained: inout Set<Int64>) -> Position? {
    for event in self where event.type == EventType.customerErased.rawValue {
      if let data = event.data, let erased = try? CustomerErased(data: data) { explained.formUnion(erased.positions) }
    }
    return last?.position
  }
}

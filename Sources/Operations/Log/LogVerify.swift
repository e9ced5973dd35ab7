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
    details: """
      Names the first position where something was, and ends with 65 then; --json gives position and what, too. It works beside running services. Ctrl-C
      ends it with the words that go on from there: with --from and --chain the two together prove the whole log, as
      far as nobody altered meanwhile what was proved first. --from alone takes the chain there as it stands, and
      proves that what follows is whole in itself. The indexes are compared whole, at the end, in either case. Of a
      folder that refundlog backup made, its backup.json and the states beside the log are looked at too.
      """,
    options: [
      .data, .settings, CommandOption(name: "from", value: "POSITION", meaning: "begins after this position"),
      CommandOption(name: "chain", value: "HEX", meaning: "the chain that was proved there"), .json,
    ])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let start: LogVerifier.Start
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    asJSON = arguments.has("json")
    start = try Self.start(from: arguments["from"], chain: arguments["chain"])
  }

  private static func start(from: String?, chain: String?) throws(CommandError) -> LogVerifier.Start {
    guard let from else {
      if chain != nil { throw page.usageError("--chain goes with --from") }
      return .beginning
    }
    guard let value = Int64(from), value >= 0 else {
      throw CommandError(.usage, "--from is \(from); allowed is a position, 0 or more")
    }
    guard let chain else { return value == 0 ? .beginning : .position(Position(value)) }
    guard let bytes = Hex.decode(chain), bytes.count == 32 else {
      throw CommandError(.usage, "--chain is no chain; allowed are the 64 digits that log verify printed")
    }
    return .place(LogPlace(position: Position(value), chain: bytes))
  }

  private var from: Position {
    switch start {
    case .beginning: .start
    case .place(let place): place.position
    case .position(let position): position
    }
  }

  func run() throws(CommandError) {
    let manifest = try manifest()
    let proof = try proved()
    do throws(TransferError) { try manifest?.check(folder, proof: proof, states: DataFolder.states) } catch {
      throw CommandError(error)
    }
    show(proof, isBackup: manifest != nil)
  }

  /// Of a backup; what its files' sizes show is said before hours of proving.
  private func manifest() throws(CommandError) -> BackupManifest? {
    do throws(TransferError) {
      let manifest = try BackupManifest(of: folder)
      try manifest?.compare(folder, states: DataFolder.states)
      return manifest
    } catch { throw CommandError(error) }
  }

  private func proved() throws(CommandError) -> LogVerifier.Proof {
    let verifier = LogVerifier(folder: folder)
    do throws(LogVerifier.Failure) {
      let proof = try verify(verifier)
      try refuseUnexplained(proof.erased, verifier)
      return proof
    } catch {
      switch error {
      case .stopped(let place):
        throw CommandError(
          .failure,
          "stopped; every event \(span(through: place.position)) is proved, the indexes are not yet. To go on: refundlog log verify --from "
            + "\(place.position) --chain \(Hex.encode(place.chain)) --data \(folder)")
      case .damage(let damage): show(damage.what, at: damage.position)
      case .open(let error) where error.isDamage: show(error.description, at: nil)
      case .open, .beyond, .otherChain: break
      }
      throw CommandError(error)
    }
  }

  /// For machines; people read the sentence that the command ends with.
  private func show(_ damage: String, at position: Position?) {
    guard asJSON else { return }
    var found: JSONObject = ["damaged": true]
    found["position"] = position.map { .number(JSONNumber($0.value)) }
    found["what"] = .string(damage)
    surroundings.print(JSONValue.object(found).text() + "\n")
  }

  private func verify(_ verifier: LogVerifier) throws(LogVerifier.Failure) -> LogVerifier.Proof {
    var telling = VerificationTelling(
      isTerminal: surroundings.showsProgress, from: from, at: MonotonicClock.milliseconds())
    defer { surroundings.complain(telling.end) }
    return try ProcessSignals.heldWhile { isToldToStop throws(LogVerifier.Failure) in
      try verifier.verify(from: start) { reached, head in
        let text = telling.text(reached: reached, head: head, at: MonotonicClock.milliseconds())
        if let text { surroundings.complain(text) }
        return !isToldToStop()
      }
    }
  }

  private func span(through position: Position) -> String {
    from == .start ? "up to position \(position)" : "from position \(from.next) to \(position)"
  }

  private func show(_ proof: LogVerifier.Proof, isBackup: Bool) {
    if asJSON {
      var found: JSONObject = [
        "log": .string(proof.log), "events": .number(JSONNumber(proof.events)),
        "head": .number(JSONNumber(proof.head.value)), "chain": .string(Hex.encode(proof.chain)),
        "erased": .number(JSONNumber(Int64(proof.erased.count))),
      ]
      if isBackup { found["backup"] = true }
      if from != .start { found["after"] = .number(JSONNumber(from.value)) }
      return surroundings.print(JSONValue.object(found).text() + "\n")
    }
    surroundings.print(
      """
      log \(proof.log): \(proof.events) events, nothing altered, removed or inserted
      head: position \(proof.head), chain \(Hex.encode(proof.chain))
      erased: \(proof.erased.count)

      """)
    if isBackup {
      surroundings.print("backup: its files are those that backup.json tells of, and its states are whole\n")
    }
    switch start {
    case .beginning: break
    case .place: surroundings.print("begun after position \(from): with the proof that gave its chain, the whole log\n")
    case .position:
      surroundings.print("begun after position \(from): of what stands before only the indexes were looked at\n")
    }
  }

  /// A blank that no CustomerErased lists was not made by us.
  private func refuseUnexplained(
    _ erased: PositionSet, _ verifier: LogVerifier
  ) throws(LogVerifier.Failure) {
    if erased.isEmpty { return }
    var unexplained = erased
    try verifier.forEachEvent(type: EventType.customerErased.rawValue, inStreamsFrom: "customer/") { event in
      guard let data = event.data, let erased = try? CustomerErased(data: data, schema: event.schema) else { return }
      for position in erased.positions where position > 0 { unexplained.remove(Position(position)) }
    }
    if let position = unexplained.first {
      throw .damage(.init(position: position, what: "it is blank and no CustomerErased event tells of it"))
    }
  }
}

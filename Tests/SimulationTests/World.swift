import AppStore
import Contracts
import EventLog
import Glibc
import JSON
import Service
import TestSupport

@testable import AppStoreSimulator
@testable import Responder

/// A receiver, some responders, their log, the App Store, the customers and the developer's back end, in one process,
/// under one clock and one seed. Faults for some days, then calm until every window has closed.
final class World: @unchecked Sendable {
  static let start: Int64 = 1_796_000_000_000
  private static let hour: Int64 = 3_600_000

  let seed: UInt64
  let scheduler: Scheduler
  private(set) var log: any EventLog
  /// nil where the log lies on disk.
  private var memory: MemoryEventLog?
  let pace: CallPace
  let folder: String
  private let place = TemporaryFolder(inMemory: true)
  var weather = Weather() {
    didSet {
      if weather.clockAhead != oldValue.clockAhead { tokensRightSince = scheduler.now }
      if weather.store != oldValue.store { disturbed() }
    }
  }
  var isKeyWrong = false {
    didSet {
      guard isKeyWrong != oldValue else { return }
      tokensRightSince = scheduler.now
      disturbed()
    }
  }
  /// Since when tokens that are made are right ones, where they are.
  private(set) var tokensRightSince: Int64 = .min / 2
  /// Since when the App Store takes what is right, and nobody crashed or was started; nil where it does not.
  private(set) var quietSince: Int64?
  private(set) var audit: Audit!
  private(set) var store: SimulatedStore!
  private(set) var receiver: SimulatedReceiver!
  private(set) var responders: [SimulatedResponder] = []
  private(set) var customers: CustomerLives!
  private(set) var accounts: [String] = []
  private var uuids = 0
  /// How often the log was written to, or may have been.
  private(set) var appends = 0
  private var told: [String] = []
  /// What the back end has told, and what was taken of it.
  private(set) var statements: [Statement] = []
  /// Purchases that Apple's API does not know, though it notifies of them.
  private(set) var unknownToApple: Set<String> = []
  private(set) var isRestoring = false
  /// Everybody goes home.
  private(set) var isOver = false

  struct Statement: Sendable {
    var account: String
    var bundleID: String
    var granted: Bool
    var statedAt: Int64
    var key: String
  }

  /// What programs log belongs to the story, too.
  let isToldWhole: Bool

  init(seed: UInt64, isToldWhole: Bool = false) {
    self.seed = seed
    self.isToldWhole = isToldWhole
    scheduler = Scheduler(seed: seed, now: Self.start)
    folder = place.path
    // Salts do not matter here, and the same ones make the same chain.
    let parts = LogParts(
      clock: { [scheduler] in scheduler.now }, randomBytes: { [UInt8](repeating: 7, count: $0) },
      newLogID: { "00000000-0000-4000-8000-000000000010" })
    if scheduler.isOne(in: 8) {
      log = try! LocalEventLog(folder: place.path, access: .readWrite, parts: parts)
    } else {
      let memory = MemoryEventLog(parts: parts)
      self.memory = memory
      log = memory
    }
    // In some, Apple's figures are met by a handful of calls.
    pace = CallPace(percent: scheduler.isOne(in: 2) ? 2 : 100)
    audit = Audit(self)
    store = SimulatedStore(self)
    receiver = SimulatedReceiver(self)
    responders = (0..<Int(scheduler.draw(2...4))).map { SimulatedResponder("responder \($0)", in: self) }
  }

  /// The machine's clock.
  var clock: WallClock { WallClock { [self] in scheduler.now + weather.clockAhead } }

  func uuid() -> String {
    uuids += 1
    let digits = String(uuids)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
  }

  /// What settings say at the moment.
  func apps() -> [ResponderSettings.App] {
    Scenery.shared.apps.enumerated().map { index, app in
      ResponderSettings.App(
        identity: app.identity, tokens: isKeyWrong && index == 0 ? app.wrongTokens : app.tokens, basis: nil,
        statements: [
          ProductStatementDeclared(
            bundleID: app.identity.bundleId, productID: "*", deliveryStatus: DeliveryStatusWord("DELIVERED"),
            sampleContentProvided: false, by: Declarations.author)
        ])
    }
  }

  /// Since when facts are stated for every purchase of an app: from the first start, as settings do.
  func factsSince(_ bundleID: String) -> Int64 { Self.start }

  /// What comes now ends a quiet time, or begins one.
  func disturbed() {
    audit?.looksForUnanswered()
    let isQuiet = weather.store == .clear && !isKeyWrong && responders.contains(where: \.isAlive)
    quietSince = isQuiet ? scheduler.now : nil
  }

  func taken(_ statement: Statement) { statements.append(statement) }

  func hideFromApple(_ transactionID: String) { unknownToApple.insert(transactionID) }

  func tell(_ what: String) { told.append("\(RFC3339.text(scheduler.now)) \(what)") }

  func logHasGrown() {
    audit.readLog()
    appends += 1
    scheduler.news()
  }

  // MARK: The story

  /// What a life came to.
  struct Life: Sendable {
    /// With the story of it; nil where nothing was violated.
    var violated: String?
    var requests: Int
    var answered: Int
    var story: [String]
  }

  /// Lives it, once.
  func live() -> Life {
    let days = scheduler.draw(1...3)
    let calm = Self.start + days * 24 * Self.hour
    // The last request may come right before the calm; its redelivery a day later.
    let end = calm + 40 * Self.hour
    weather.crashOneIn = [0, 400, 1_500][Int(scheduler.draw(0...2))]
    for responder in responders { responder.start() }
    customers = CustomerLives(self, until: calm)
    accounts = customers.accounts
    customers.begin()
    Trouble(self, customers, until: calm).begin()
    scheduler.run(until: calm)
    beCalm()
    scheduler.run(until: end)
    for responder in responders where !responder.isAlive { audit.violated("\(responder.name) is dead at the end") }
    audit.lookBack(calmSince: calm)
    replay()
    for responder in responders { responder.process.crash("at the end") }
    receiver.crash()
    isOver = true
    scheduler.run(until: .max)
    (log as? LocalEventLog)?.close()
    let (requests, answered) = audit.figures
    let life = Life(
      violated: audit.violations.isEmpty ? nil : report(), requests: requests, answered: answered, story: told)
    // They know their world: it goes, with its folder, when they do.
    (audit, store, receiver, responders, customers) = (nil, nil, nil, [], nil)
    return life
  }

  private func beCalm() {
    tell("calm")
    weather.isCalm = true
    weather.clockAhead = 0
    let wasKeyWrong = isKeyWrong
    isKeyWrong = false
    // They start with the settings as they are now.
    if isRestoring { return }
    if !receiver.isAlive { receiver.restart() }
    for responder in responders {
      if !responder.isAlive { responder.start() } else if wasKeyWrong { responder.reload() }
    }
    scheduler.lookSoon()
  }

  // MARK: A restore

  /// Where the log stands, to be restored from later; nil where that is not to be had here.
  func backup() -> Position? { memory.flatMap { try? $0.head().position } }

  /// All programs end, a backup takes the log's place, and they start again; a person lets sending go on after a while.
  func restore(_ backup: Position, told backupAt: Int64, by customers: CustomerLives) {
    isRestoring = true
    let ended = responders.map(\.process) + [receiver.process]
    for process in ended { process.crash("for a restore") }
    while ended.contains(where: scheduler.hasStrands) { scheduler.pause(milliseconds: 10) }
    let restored = MemoryEventLog(copyOf: memory!, through: backup)
    (memory, log) = (restored, restored)
    for name in (try? Files.names(in: folder)) ?? [] where name.hasPrefix("cases-v") {
      let isLock = name.hasSuffix(".writer") || name.hasSuffix(".builder")
      if !isLock { unlink("\(folder)/\(name)") }
    }
    tell("the log is restored through position \(backup)")
    note(LogRestored(backupAt: backupAt, head: backup.value), as: "restored/\(uuid())")
    audit.wasRestored()
    receiver.restart()
    for responder in responders { responder.start() }
    isRestoring = false
    for statement in statements { customers.tell(statement, isAgain: true) }
    scheduler.pause(milliseconds: scheduler.draw(60_000...3 * Self.hour))
    note(SendingResumed(by: "operator:ada"), as: "resumed/\(uuid())")
    audit.readLog()
    scheduler.news()
  }

  private func note(_ data: some EventData, as id: String) {
    let type = Swift.type(of: data).type
    _ = try! log.append([
      EventDraft(
        id: EventID(id), stream: StreamName(Streams.log), type: type.rawValue, schema: type.schema,
        occurredAt: scheduler.now, data: data.encoded())
    ])
  }

  /// I12: read from nothing, the log gives the same rows.
  private func replay() {
    let anew = TemporaryFolder(inMemory: true)
    do {
      let projector = try Projector(log: log, store: CaseStore(folder: anew.path))
      while try projector.advance() != nil {}
      let rows = { (folder: String) in
        try TableRows.all(of: ProjectionFiles(folder: folder).path, passingOver: "build")
      }
      let (living, replayed) = (try rows(folder), try rows(anew.path))
      if living != replayed {
        let gone = living.first { !replayed.contains($0) } ?? "nothing"
        let new = replayed.first { !living.contains($0) } ?? "nothing"
        audit.violated("I12: read from nothing, the log gives\n\(new)\nin place of\n\(gone)")
      }
    } catch { audit.violated("I12: the log cannot be replayed: \(error)") }
  }

  /// The seed, what was violated, and of the story what is about it.
  private func report() -> String {
    let purchases = told.reduce(into: Set<String>()) { found, line in
      guard line.contains("VIOLATED"), let name = line.firstMatch(of: /purchase-?\d+|\d{16}/) else { return }
      found.insert(String(name.0))
    }
    let uuids = told.reduce(into: Set<String>()) { found, line in
      guard line.contains("VIOLATED"), let name = line.firstMatch(of: /5a000000-0000-4000-8000-\d+/) else { return }
      found.insert(String(name.0))
    }
    let shown = told.filter { line in
      line.contains("VIOLATED") || line.contains("crashes") || line.contains("starts") || line.contains("weather")
        || purchases.contains { line.contains($0) } || uuids.contains { line.contains($0) }
        || line.contains("WITHDRAWAL")
    }
    return """
      REFUNDLOG_SEED=\(seed) tells this story again:
      \(audit.violations.joined(separator: "\n"))
      \(shown.suffix(120).joined(separator: "\n"))
      """
  }
}

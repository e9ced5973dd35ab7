public import Contracts
public import EventLog
import FoundationEssentials
import SQLite
public import Service

/// Reads cases from the projection and the log, beside the responder that writes them. Blocks; for owned threads, any
/// number of them.
///
/// Whether a request waits, and for what, is judged at the instant of reading.
public final class CaseReader: Sendable {
  /// Rows that one search looks at; what it has not reached then is on the next page.
  private static let rowsMax = 5_000
  private static let batch = 200

  private let log: any EventLog
  private let clock: WallClock
  private let file: CaseFile

  /// Opens log and projection of a data folder for reading.
  /// - Throws: where either is absent, of another version or not readable.
  public convenience init(folder: String, clock: WallClock) throws(CaseReaderError) {
    let log: LocalEventLog
    do throws(LogOpenError) {
      // Nothing is written, so nothing random is needed.
      log = try LocalEventLog(
        folder: folder, access: .readOnly,
        parts: LogParts(clock: clock.now, randomBytes: { [UInt8](repeating: 0, count: $0) }, newLogID: { "" }))
    } catch { throw .log(error) }
    self.init(folder: folder, log: log, clock: clock)
    _ = try through()
  }

  /// Reads beside a log that is open already. The projection may still be absent; it is looked for at each call.
  public init(folder: String, log: any EventLog, clock: WallClock) {
    self.log = log
    self.clock = clock
    file = CaseFile(folder: folder)
  }

  /// Position in the log up to which the projection tells it.
  public func through() throws(CaseReaderError) -> Int64 {
    try file.read { sqlite throws(CaseReaderError) in try through(sqlite) }
  }

  /// - Precondition: the query's limit is within `CaseQuery.limits`.
  public func cases(matching query: CaseQuery) throws(CaseReaderError) -> CaseList {
    precondition(CaseQuery.limits.contains(query.limit), "a page of cases has 1 to 200")
    var cursor: CaseCursor?
    if let after = query.after {
      guard let read = CaseCursor(after) else { throw .cursorInvalid }
      cursor = read
    }
    let search = CaseSearch(query)
    return try file.read { sqlite throws(CaseReaderError) in
      let through = try through(sqlite)
      let sending = try sending(sqlite)
      var found: [CaseSummary] = []
      func list(next: String?) -> CaseList {
        CaseList(cases: found, next: next, through: through, sendingPausedSince: sending.pausedSince)
      }
      var looked = 0
      var limits = AppLimits(now: clock.now())
      while looked < Self.rowsMax {
        let (sql, values) = search.statement(after: cursor, limit: Self.batch)
        let states = try decoded(CaseState.self, sqlite, sql, values)
        for state in states {
          cursor = CaseCursor(due: state.due ?? .max, newest: state.newest, key: state.key)
          let summary = CasePageMaker.summary(try standing(of: state, isWhole: false, sending, &limits, sqlite))
          if query.phase == .waiting, summary.phase != .waiting { continue }
          found.append(summary)
          if found.count == query.limit { return list(next: cursor?.text) }
        }
        looked += states.count
        if states.count < Self.batch { return list(next: nil) }
      }
      return list(next: cursor?.text)
    }
  }

  /// Everything about one case; nil where the purchase has none.
  public func page(of key: PurchaseKey) throws(CaseReaderError) -> CasePage? {
    try file.read { sqlite throws(CaseReaderError) in
      guard let state = try caseState(key, sqlite) else { return nil }
      let through = try through(sqlite)
      var limits = AppLimits(now: clock.now())
      return CasePageMaker(
        standing: try standing(of: state, isWhole: true, try sending(sqlite), &limits, sqlite),
        history: try CaseHistory(of: state, through: through, in: log), through: through
      ).page()
    }
  }

  // MARK: Out of the projection

  private func through(_ sqlite: SQLiteConnection) throws(CaseReaderError) -> Int64 {
    let place: Bookmark? = try first(sqlite, "SELECT log, position, chain, restored FROM bookmark", []) {
      Bookmark(
        log: $0.text(0), position: Position($0.integer(1)), chain: $0.bytes(2), restored: Position($0.integer(3)))
    }
    guard let place else { return 0 }
    // Nothing is read but whether the log is still the one that the projection tells.
    do throws(LogReadError) { _ = try log.read(after: place, limit: 0) } catch {
      switch error {
      case .replaced, .restored: throw .ofOtherLog(path: file.path)
      case .lost, .altered, .otherThanBell, .malformed, .unreadable: throw .logUnreadable(error)
      }
    }
    return place.position.value
  }

  private func sending(_ sqlite: SQLiteConnection) throws(CaseReaderError) -> SendingState {
    try decoded(SendingState.self, sqlite, "SELECT state FROM sending", []).first ?? SendingState()
  }

  /// - Parameter isWhole: also what only evidence is told from; a line of a list needs no more than what is judged.
  private func standing(
    of state: CaseState, isWhole: Bool, _ sending: SendingState, _ limits: inout AppLimits,
    _ sqlite: SQLiteConnection
  ) throws(CaseReaderError) -> CaseStanding {
    var customer: CustomerState?
    if let id = state.customer {
      let known = try decoded(CustomerState.self, sqlite, "SELECT state FROM customers WHERE id = ?", [.text(id)])
      customer = known.first ?? CustomerState()
    }
    var app = AppState()
    if let id = state.app {
      let known = try decoded(AppState.self, sqlite, "SELECT state FROM apps WHERE id = ?", [.text(id)])
      app = known.first ?? AppState()
    }
    let own = try stuck(state.stream, sqlite)
    var basisStuck: CasePage.Stuck?
    if let id = state.app { basisStuck = try stuck(StreamName(Streams.app(id)), sqlite) }
    if basisStuck == nil, let id = state.customer { basisStuck = try stuck(StreamName(Streams.customer(id)), sqlite) }
    var original: CaseState?
    let isOpen = state.requests.contains { !$0.hasEnded }
    if let key = state.originalKey, isWhole || isOpen {
      original = try caseState(key, sqlite)
      var found = try stuck(StreamName(key.stream), sqlite)
      if original == nil {
        // A purchase that has no case.
        let story: PurchaseStory
        do throws(LogReadError) { story = try PurchaseStory(of: key, in: log) } catch { throw .logUnreadable(error) }
        original = story.state
        found = found ?? story.stuck
      }
      basisStuck = basisStuck ?? found
    }
    let others = try isWhole ? self.others(of: state, original: original, sqlite) : []
    let rescission = try isWhole || isOpen ? self.rescission(of: state, sqlite) : nil
    var limitedUntil: Int64?
    if isOpen {
      limitedUntil = try limits.until(of: state) { app, environment throws(CaseReaderError) in
        try decoded(CaseState.self, sqlite, AppLimits.statement, [.text(app), .text(environment)])
      }
    }
    return CaseStanding(
      state: state, customer: customer, app: app,
      original: original.map { OriginalPurchase($0, app: state.app) },
      now: clock.now(), times: ClaimTimes(speed: clock.speed), stuck: own, basisStuck: basisStuck,
      sending: sending, rescission: rescission, limitedUntil: limitedUntil, others: others)
  }

  private func rescission(
    of state: CaseState, _ sqlite: SQLiteConnection
  ) throws(CaseReaderError) -> Rescission? {
    guard let app = state.app, let id = state.purchase?.appTransactionID else { return nil }
    return try first(sqlite, CaseStoreSchema.rescission, [.text(app), .text(state.environment), .text(id)]) {
      Rescission(environment: state.environment, appTransactionID: id, signedAt: $0.integer(0), event: $0.text(1))
    }
  }

  /// Transactions that are known to stand for the same period of a purchase of seats: those with a case, and the original
  /// one.
  private func others(
    of state: CaseState, original: CaseState?, _ sqlite: SQLiteConnection
  ) throws(CaseReaderError) -> [RevocationFinding.Other] {
    guard let facts = state.purchase, facts.seats != nil, facts.expiresDate != nil else { return [] }
    var known = try decoded(
      CaseState.self, sqlite, "SELECT state FROM cases WHERE environment = ? AND original_id = ? LIMIT ?",
      [
        .text(state.environment), .text(facts.originalTransactionID ?? state.transactionID),
        .integer(Int64(Self.batch)),
      ])
    if let original { known.append(original) }
    return known.compactMap { other in
      guard other.transactionID != state.transactionID, let purchase = other.purchase,
        purchase.expiresDate == facts.expiresDate
      else { return nil }
      return RevocationFinding.Other(transactionID: other.transactionID, isRevoked: purchase.revocation != nil)
    }
  }

  private func caseState(_ key: PurchaseKey, _ sqlite: SQLiteConnection) throws(CaseReaderError) -> CaseState? {
    try decoded(
      CaseState.self, sqlite, "SELECT state FROM cases WHERE environment = ? AND transaction_id = ?",
      [.text(key.environment), .text(key.transactionID)]
    ).first
  }

  private func stuck(_ stream: StreamName, _ sqlite: SQLiteConnection) throws(CaseReaderError) -> CasePage.Stuck? {
    try first(sqlite, "SELECT position, error FROM stuck WHERE stream = ?", [.text(stream.text)]) {
      CasePage.Stuck(position: $0.integer(0), error: $0.text(1))
    }
  }

  private func decoded<State: Decodable>(
    _ type: State.Type, _ sqlite: SQLiteConnection, _ sql: String, _ values: [SQLiteValue]
  ) throws(CaseReaderError) -> [State] {
    let texts: [[UInt8]]
    do throws(SQLiteError) { texts = try sqlite.rows(sql, values) { $0.bytes(0) } } catch {
      throw CaseFile.unreadable(error)
    }
    var states: [State] = []
    let decoder = JSONDecoder()
    for text in texts {
      guard let state = try? decoder.decode(State.self, from: Data(text)) else {
        throw .unreadable(
          "\(file.path) holds a state that this release did not write: stop the responder, remove the file with its -wal and "
            + "-shm, and start it again; it makes the file anew from the log")
      }
      states.append(state)
    }
    return states
  }

  private func first<Row>(
    _ sqlite: SQLiteConnection, _ sql: String, _ values: [SQLiteValue], _ make: (borrowing SQLiteRow) -> Row
  ) throws(CaseReaderError) -> Row? {
    do throws(SQLiteError) { return try sqlite.row(sql, values, make) } catch { throw CaseFile.unreadable(error) }
  }
}

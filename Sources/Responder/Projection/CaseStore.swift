import Contracts
import EventLog
import SQLite

/// The projection: cases, customers and apps as the log tells them, with the place up to which it was read, in one
/// SQLite file. Owned by the thread that follows the log.
///
/// Everything in it can be made again from the log; when the log is another one, it is.
final class CaseStore {
  let sqlite: SQLiteConnection
  private let maker = StoredState.Maker()
  private var cases = StateTexts<PurchaseKey, CaseState>()
  private var customers = StateTexts<String, CustomerState>()
  private var apps = StateTexts<String, AppState>()
  private var sendings = StateTexts<String, SendingState>()

  /// Opens the projection of a folder, or makes an empty one.
  convenience init(folder: String) throws(ProjectionError) {
    do throws(SQLiteError) {
      try self.init(SQLiteConnection(path: ProjectionFiles(folder: folder).path, mode: .create))
    } catch { throw .store(error) }
  }

  /// Takes a connection over, and makes what is missing in an empty file.
  init(_ sqlite: SQLiteConnection) throws(SQLiteError) {
    self.sqlite = sqlite
    sqlite.leaveWriteAheadLogOnClose()
    try sqlite.execute("\(CaseStoreSchema.pragmas) PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
    if try sqlite.row("SELECT count(*) FROM sqlite_schema", [], { $0.integer(0) }) == 0 {
      try sqlite.transaction(immediate: true, failure: { $0 }) { () throws(SQLiteError) -> Void in
        try sqlite.execute(CaseStoreSchema.tables)
        for index in CaseStoreSchema.indexes { try sqlite.execute(index) }
      }
    }
  }

  /// Over a file that is being made, whose journal is its maker's choice.
  init(building sqlite: SQLiteConnection) { self.sqlite = sqlite }

  /// Runs `body` in one transaction: rows and bookmark change together.
  func change<Result>(_ body: () throws(ProjectionError) -> Result) throws(ProjectionError) -> Result {
    try sqlite.transaction(immediate: true, failure: ProjectionError.store, body)
  }

  // MARK: The bookmark

  func bookmark() throws(ProjectionError) -> Bookmark? {
    try first("SELECT log, position, chain, restored FROM bookmark") {
      Bookmark(
        log: $0.text(0), position: Position($0.integer(1)), chain: $0.bytes(2), restored: Position($0.integer(3)))
    }
  }

  /// Moves the bookmark on, in the same transaction as the rows.
  /// - Parameter previous: where it stands; nil where there is none yet.
  /// - Throws: `overtaken` where somebody else moved it.
  func keep(_ bookmark: Bookmark, replacing previous: Bookmark?) throws(ProjectionError) {
    guard try self.bookmark() == previous else { throw .overtaken }
    try write(
      "INSERT OR REPLACE INTO bookmark (one, log, position, chain, restored) VALUES (1, ?, ?, ?, ?)",
      [
        .text(bookmark.log), .integer(bookmark.position.value), .blob(bookmark.chain),
        .integer(bookmark.restored.value),
      ])
  }

  // MARK: States

  func caseState(_ key: PurchaseKey) throws(ProjectionError) -> CaseState? {
    let text = try first(
      "SELECT state FROM cases WHERE environment = ? AND transaction_id = ?",
      [.text(key.environment), .text(key.transactionID)]
    ) { $0.bytes(0) }
    guard let text else { return nil }
    return try cases.state(key, text: text)
  }

  func keep(_ state: CaseState) throws(ProjectionError) { try keep(maker.row(state)) }

  func keep(_ row: StoredState) throws(ProjectionError) {
    let statement =
      switch row.table {
      case .cases:
        """
        INSERT INTO cases (environment, transaction_id, app, customer, original_id, product_id, outcome, open,
          due, watched_until, phase, newest, state)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (environment, transaction_id) DO UPDATE SET app = excluded.app, customer = excluded.customer,
          original_id = excluded.original_id, product_id = excluded.product_id, outcome = excluded.outcome,
          open = excluded.open, due = excluded.due, watched_until = excluded.watched_until, phase = excluded.phase,
          newest = excluded.newest, state = excluded.state
        """
      case .customers: "INSERT OR REPLACE INTO customers (id, state) VALUES (?, ?)"
      case .apps: "INSERT OR REPLACE INTO apps (id, state) VALUES (?, ?)"
      case .rescissions:
        """
        INSERT INTO rescissions (app, environment, app_transaction_id, signed_at, event) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (app, environment, app_transaction_id) DO UPDATE SET signed_at = excluded.signed_at,
          event = excluded.event WHERE (excluded.signed_at, excluded.event) > (signed_at, event)
        """
      case .sending: "INSERT OR REPLACE INTO sending (one, state) VALUES (1, ?)"
      }
    try write(statement, row.values)
  }

  func customer(_ id: String) throws(ProjectionError) -> CustomerState {
    let text = try first("SELECT state FROM customers WHERE id = ?", [.text(id)]) { $0.bytes(0) }
    guard let text else { return CustomerState() }
    return try customers.state(id, text: text)
  }

  func keep(_ state: CustomerState, of id: String) throws(ProjectionError) {
    try keep(maker.row(state, of: id))
  }

  func app(_ id: String) throws(ProjectionError) -> AppState {
    let text = try first("SELECT state FROM apps WHERE id = ?", [.text(id)]) { $0.bytes(0) }
    guard let text else { return AppState() }
    return try apps.state(id, text: text)
  }

  func keep(_ state: AppState, of id: String) throws(ProjectionError) {
    try keep(maker.row(state, of: id))
  }

  /// The newest of what a parent took back for the app transaction that a purchase was made under.
  func rescission(of state: CaseState) throws(ProjectionError) -> Rescission? {
    guard let app = state.app, let id = state.purchase?.appTransactionID else { return nil }
    return try first(CaseStoreSchema.rescission, [.text(app), .text(state.environment), .text(id)]) {
      Rescission(
        environment: state.environment, appTransactionID: id, signedAt: $0.integer(0), event: $0.text(1))
    }
  }

  func keep(_ rescission: Rescission, of app: String) throws(ProjectionError) {
    try keep(maker.row(rescission, of: app))
  }

  func sending() throws(ProjectionError) -> SendingState {
    let text = try first("SELECT state FROM sending", []) { $0.bytes(0) }
    guard let text else { return SendingState() }
    return try sendings.state(Streams.log, text: text)
  }

  func keep(_ state: SendingState) throws(ProjectionError) {
    try keep(maker.row(state))
  }

  /// Marks a stream whose event could not be folded; the follower goes on without it.
  func keep(_ mark: StuckMark) throws(ProjectionError) {
    try write(
      "INSERT OR IGNORE INTO stuck (stream, position, error) VALUES (?, ?, ?)",
      [.text(mark.stream.text), .integer(mark.position.value), .text(mark.error)])
  }

  /// Streams with a mark, at most `limit`.
  func stuckStreams(limit: Int) throws(ProjectionError) -> [StreamName] {
    try all("SELECT stream FROM stuck LIMIT ?", [.integer(Int64(limit))]) { StreamName($0.text(0)) }
  }

  func isStuck(_ stream: StreamName) throws(ProjectionError) -> Bool {
    try first("SELECT 1 FROM stuck WHERE stream = ?", [.text(stream.text)]) { $0.integer(0) } != nil
  }

  // MARK: What may have something to do

  /// Open ones, and those whose answer may still change at an instant.
  func livingCases(at instant: Int64) throws(ProjectionError) -> [PurchaseKey] { try living("TRUE", [], instant) }

  func livingCases(ofCustomer id: String, at instant: Int64) throws(ProjectionError) -> [PurchaseKey] {
    try living("customer = ?", [.text(id)], instant)
  }

  /// Of purchases that renew that one.
  func livingCases(ofOriginal key: PurchaseKey, at instant: Int64) throws(ProjectionError) -> [PurchaseKey] {
    try living("environment = ? AND original_id = ?", [.text(key.environment), .text(key.transactionID)], instant)
  }

  func livingCases(ofApp id: String, at instant: Int64) throws(ProjectionError) -> [PurchaseKey] {
    try living("app = ?", [.text(id)], instant)
  }

  /// The instant at which the first open refund request is due; nil where none is open.
  func firstDue() throws(ProjectionError) -> Int64? {
    try first("SELECT due FROM cases WHERE open = 1 AND due IS NOT NULL ORDER BY due LIMIT 1") { $0.integer(0) }
  }

  private func living(
    _ condition: String, _ values: [SQLiteValue], _ instant: Int64
  ) throws(ProjectionError) -> [PurchaseKey] {
    try all(
      "SELECT environment, transaction_id FROM cases WHERE \(condition) AND (open = 1 OR watched_until > ?) ORDER BY due",
      values + [.integer(instant)]
    ) { try! PurchaseKey(environment: $0.text(0), transactionID: $0.text(1)) }
  }

  // MARK: Statements

  private func write(_ sql: String, _ values: [SQLiteValue]) throws(ProjectionError) {
    do throws(SQLiteError) { try sqlite.run(sql, values) } catch { throw .store(error) }
  }

  private func first<Row>(
    _ sql: String, _ values: [SQLiteValue] = [], _ make: (borrowing SQLiteRow) -> Row
  ) throws(ProjectionError) -> Row? {
    do throws(SQLiteError) { return try sqlite.row(sql, values, make) } catch { throw .store(error) }
  }

  private func all<Row>(
    _ sql: String, _ values: [SQLiteValue], _ make: (borrowing SQLiteRow) -> Row
  ) throws(ProjectionError) -> [Row] {
    do throws(SQLiteError) { return try sqlite.rows(sql, values, make) } catch { throw .store(error) }
  }
}

import Contracts
import EventLog
import FoundationEssentials
import Glibc
import SQLite

/// The projection: cases, customers and apps as the log tells them, with the place up to which it was read, in one
/// SQLite file. Owned by the thread that follows the log.
///
/// Everything in it can be made again from the log; when the log is another one, it is.
final class CaseStore {
  private let sqlite: SQLiteConnection
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  /// Opens or makes `cases-v<N>.sqlite` in a folder. One that is damaged is made anew: the log has everything.
  init(folder: String) throws(ProjectionError) {
    // The same state is always the same text, so that two projections can be compared row by row.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let path = "\(folder)/cases-v\(CaseStoreSchema.version).sqlite"
    do throws(SQLiteError) {
      sqlite = try Self.open(path)
    } catch {
      guard error.isDamage || error.isForeign else { throw .store(error) }
      Self.discard(in: folder)
      do throws(SQLiteError) { sqlite = try Self.open(path) } catch { throw .store(error) }
    }
  }

  /// Removes the projection of a folder; nobody who acts has it open.
  static func discard(in folder: String) {
    for end in ["", "-wal", "-shm"] { unlink("\(folder)/cases-v\(CaseStoreSchema.version).sqlite\(end)") }
  }

  private static func open(_ path: String) throws(SQLiteError) -> SQLiteConnection {
    let sqlite = try SQLiteConnection(path: path, mode: .create)
    try sqlite.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
    if try sqlite.row("SELECT count(*) FROM sqlite_schema", [], { $0.integer(0) }) == 0 {
      try sqlite.transaction(immediate: true, failure: { $0 }) { () throws(SQLiteError) -> Void in
        try sqlite.execute(CaseStoreSchema.create)
      }
    }
    return sqlite
  }

  /// Runs `body` in one transaction: rows and bookmark change together.
  func change<Result>(_ body: () throws(ProjectionError) -> Result) throws(ProjectionError) -> Result {
    try sqlite.transaction(immediate: true, failure: ProjectionError.store, body)
  }

  /// Forgets everything, to be read again from the beginning.
  func clear() throws(ProjectionError) {
    try change { () throws(ProjectionError) -> Void in
      for table in ["bookmark", "cases", "customers", "apps", "sending", "stuck"] {
        try write("DELETE FROM \(table)", [])
      }
    }
  }

  // MARK: The bookmark

  func bookmark() throws(ProjectionError) -> Bookmark? {
    try first("SELECT log, position, chain, restored FROM bookmark") {
      Bookmark(
        log: $0.text(0), position: Position($0.integer(1)), chain: $0.bytes(2), restored: Position($0.integer(3)))
    }
  }

  func keep(_ bookmark: Bookmark) throws(ProjectionError) {
    try write(
      "INSERT OR REPLACE INTO bookmark (one, log, position, chain, restored) VALUES (1, ?, ?, ?, ?)",
      [
        .text(bookmark.log), .integer(bookmark.position.value), .blob(bookmark.chain),
        .integer(bookmark.restored.value),
      ])
  }

  // MARK: States

  func caseState(_ key: PurchaseKey) throws(ProjectionError) -> CaseState? {
    try first(
      "SELECT state FROM cases WHERE environment = ? AND transaction_id = ?",
      [.text(key.environment), .text(key.transactionID)]
    ) { $0.bytes(0) }.map { text throws(ProjectionError) in try decoded(text) }
  }

  func keep(_ state: CaseState) throws(ProjectionError) {
    try write(
      """
      INSERT OR REPLACE INTO cases (environment, transaction_id, app, customer, original_id, product_id, outcome, open,
        due, watched_until, phase, newest, state)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(state.environment), .text(state.transactionID), .text(state.app), .text(state.customer),
        .text(state.originalKey?.transactionID), .text(state.purchase?.productID), .text(state.outcome?.kind.rawValue),
        .integer(state.isOpen ? 1 : 0), .integer(state.due), .integer(state.watchedUntil),
        .text(state.phase.rawValue), .integer(state.newest), .utf8(encoded(state)),
      ])
  }

  func customer(_ id: String) throws(ProjectionError) -> CustomerState {
    try first("SELECT state FROM customers WHERE id = ?", [.text(id)]) { $0.bytes(0) }.map {
      text throws(ProjectionError) in try decoded(text)
    }
      ?? CustomerState()
  }

  func keep(_ state: CustomerState, of id: String) throws(ProjectionError) {
    try write("INSERT OR REPLACE INTO customers (id, state) VALUES (?, ?)", [.text(id), .utf8(encoded(state))])
  }

  func app(_ id: String) throws(ProjectionError) -> AppState {
    try first("SELECT state FROM apps WHERE id = ?", [.text(id)]) { $0.bytes(0) }.map { text throws(ProjectionError) in
      try decoded(text)
    } ?? AppState()
  }

  func keep(_ state: AppState, of id: String) throws(ProjectionError) {
    try write("INSERT OR REPLACE INTO apps (id, state) VALUES (?, ?)", [.text(id), .utf8(encoded(state))])
  }

  func sending() throws(ProjectionError) -> SendingState {
    try first("SELECT state FROM sending", []) { $0.bytes(0) }.map { text throws(ProjectionError) in try decoded(text) }
      ?? SendingState()
  }

  func keep(_ state: SendingState) throws(ProjectionError) {
    try write("INSERT OR REPLACE INTO sending (one, state) VALUES (1, ?)", [.utf8(encoded(state))])
  }

  /// Marks a stream whose event could not be folded; the follower goes on without it.
  func markStuck(_ event: RecordedEvent, error: String) throws(ProjectionError) {
    try write(
      "INSERT OR IGNORE INTO stuck (stream, position, error) VALUES (?, ?, ?)",
      [.text(event.stream.text), .integer(event.position.value), .text(error)])
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

  // MARK: Texts

  // States are plain values of ours: they always encode, and what this version wrote it reads.
  private func encoded(_ state: some Encodable) -> [UInt8] { Array(try! encoder.encode(state)) }
  private func decoded<State: Decodable>(_ text: [UInt8]) throws(ProjectionError) -> State {
    do { return try decoder.decode(State.self, from: Data(text)) } catch { throw .unreadable }
  }
}

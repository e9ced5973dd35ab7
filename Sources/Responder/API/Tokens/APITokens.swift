public import Contracts
import Cryptography
import SQLite
public import Service

/// The bearer tokens of the API, in `responder-state.sqlite` of a data folder: their SHA-256 digests, never themselves.
/// Any process may change them; a running responder sees it with the next call. Blocks; for owned threads.
public final class APITokens: Sendable {
  private static let prefix = "rfl_"
  private static let create = """
    CREATE TABLE IF NOT EXISTS api_tokens (digest BLOB PRIMARY KEY, name TEXT NOT NULL, scopes TEXT NOT NULL,
      bundle_ids TEXT, created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX IF NOT EXISTS api_tokens_name ON api_tokens (name) WHERE revoked_at IS NULL;
    """

  private let clock: WallClock
  private let countMax: Int
  private let state: Monitor<Connection>

  /// Opens the state file of a data folder, and makes it where it is absent.
  public convenience init(folder: String, clock: WallClock) throws(APITokensError) {
    try self.init(folder: folder, clock: clock, countMax: 1_000)
  }

  /// - Parameter countMax: tokens that may be in force at once.
  init(folder: String, clock: WallClock, countMax: Int) throws(APITokensError) {
    self.clock = clock
    self.countMax = countMax
    let sqlite: SQLiteConnection
    do throws(SQLiteError) {
      sqlite = try SQLiteConnection(path: "\(folder)/responder-state.sqlite", mode: .create)
      try sqlite.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
      try sqlite.transaction(immediate: true, failure: { $0 }) { () throws(SQLiteError) -> Void in
        try sqlite.execute(Self.create)
      }
    } catch { throw .store("\(error)") }
    state = Monitor(Connection(sqlite: sqlite))
  }

  /// Makes a token.
  /// - Parameter bundleIDs: apps it is for; nil where it is for all.
  /// - Returns: the token, which is told here and nowhere again.
  public func add(
    name: String, scopes: Set<APIScope>, bundleIDs: Set<String>? = nil
  ) throws(APITokensError) -> String {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isSafe) else { throw .nameInvalid }
    guard !scopes.isEmpty else { throw .noScopes }
    if let bundleIDs {
      guard !bundleIDs.isEmpty else { throw .bundleIDInvalid("an empty list") }
      for id in bundleIDs where !(1...155).contains(id.utf8.count) || !id.utf8.allSatisfy(Self.isSafe) {
        throw .bundleIDInvalid(id)
      }
    }
    let token = Self.prefix + Base64URL.encode(SecureRandom.bytes(32))
    let values: [SQLiteValue] = [
      .blob(SHA256.digest(of: token.utf8).bytes), .text(name),
      .text(scopes.map(\.rawValue).sorted().joined(separator: " ")),
      .text(bundleIDs?.sorted().joined(separator: " ")), .integer(clock.now()),
    ]
    try change { sqlite throws(APITokensError) in
      let inForce = try Self.rows(sqlite).filter { $0.token.revokedAt == nil }
      if inForce.contains(where: { $0.token.name == name }) { throw .nameTaken(name) }
      if inForce.count >= countMax { throw .tooMany(countMax) }
      do throws(SQLiteError) {
        try sqlite.run(
          "INSERT INTO api_tokens (digest, name, scopes, bundle_ids, created_at) VALUES (?, ?, ?, ?, ?)", values)
      } catch { throw .store("\(error)") }
    }
    return token
  }

  /// All tokens that ever were, oldest first.
  public func list() throws(APITokensError) -> [APIToken] {
    try state.withLock { state throws(APITokensError) in try Self.rows(state.sqlite) }
      .map(\.token).sorted { ($0.createdAt, $0.name) < ($1.createdAt, $1.name) }
  }

  /// From now on nobody gets in with the token; it stays in the list.
  public func remove(name: String) throws(APITokensError) {
    let now = clock.now()
    try change { sqlite throws(APITokensError) in
      do throws(SQLiteError) {
        try sqlite.run(
          "UPDATE api_tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL", [.integer(now), .text(name)])
      } catch { throw .store("\(error)") }
      if sqlite.changes == 0 { throw .absent(name) }
    }
  }

  /// The token in force with that digest. Every one is compared, in constant time.
  func token(digest: [UInt8]) throws(APITokensError) -> APIToken? {
    let rows = try state.withLock { state throws(APITokensError) in try Self.rows(state.sqlite) }
    var found: APIToken?
    for row in rows where row.token.revokedAt == nil && ConstantTime.equal(row.digest, digest) { found = row.token }
    return found
  }

  private func change(_ body: (SQLiteConnection) throws(APITokensError) -> Void) throws(APITokensError) {
    try state.withLock { state throws(APITokensError) in
      try state.sqlite.transaction(immediate: true, failure: { .store("\($0)") }) { () throws(APITokensError) in
        try body(state.sqlite)
      }
    }
  }

  private static func rows(_ sqlite: SQLiteConnection) throws(APITokensError) -> [(digest: [UInt8], token: APIToken)] {
    do throws(SQLiteError) {
      return try sqlite.rows("SELECT digest, name, scopes, bundle_ids, created_at, revoked_at FROM api_tokens") { row in
        // A scope of a newer release gives nothing here.
        (
          row.bytes(0),
          APIToken(
            name: row.text(1),
            scopes: Set(row.text(2).split(separator: " ").compactMap { APIScope(rawValue: String($0)) }),
            bundleIDs: row.optionalText(3).map { Set($0.split(separator: " ").map(String.init)) },
            createdAt: row.integer(4), revokedAt: row.optionalInteger(5))
        )
      }
    } catch { throw .store("\(error)") }
  }

  private static func isSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// `@unchecked Sendable`: used under the monitor's lock alone.
  private struct Connection: @unchecked Sendable { let sqlite: SQLiteConnection }
}

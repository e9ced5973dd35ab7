public import Contracts
import Cryptography
import SQLite
public import Service

/// The bearer tokens of the API, in `responder-state.sqlite` of a data folder: their SHA-256 digests, never themselves.
/// Any process may change them; a running responder sees it with the next call. Blocks, but for `isStranger`; for owned
/// threads.
///
/// The file has a rollback journal, not a write-ahead log: it is tiny and seldom written, and without checkpoints no
/// two writing processes can meet in one (decision 002).
public final class APITokens: Sendable {
  private static let prefix = "rfl_"
  private static let version: Int64 = 1
  private static let create = """
    CREATE TABLE IF NOT EXISTS api_tokens (digest BLOB PRIMARY KEY, name TEXT NOT NULL, scopes TEXT NOT NULL,
      bundle_ids TEXT, created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX IF NOT EXISTS api_tokens_name ON api_tokens (name) WHERE revoked_at IS NULL;
    """

  private let clock: WallClock
  private let countMax: Int
  private let path: String
  private let state: Monitor<Connection>
  private let seen = Monitor(Seen(print: nil, isSettled: false, digests: []))

  /// Opens the state file of a data folder, and makes it where it is absent.
  public convenience init(folder: String, clock: WallClock) throws(APITokensError) {
    try self.init(folder: folder, clock: clock, countMax: 1_000)
  }

  /// The tokens of a data folder; nil where none was ever made there, and none is then.
  public static func existing(folder: String, clock: WallClock) throws(APITokensError) -> APITokens? {
    guard FilePrint(path(folder)) != nil else { return nil }
    return try APITokens(folder: folder, clock: clock)
  }

  /// - Parameter countMax: tokens that may be in force at once.
  init(folder: String, clock: WallClock, countMax: Int) throws(APITokensError) {
    self.clock = clock
    self.countMax = countMax
    path = Self.path(folder)
    let sqlite: SQLiteConnection
    let found: Int64
    do throws(SQLiteError) {
      sqlite = try SQLiteConnection(path: path, mode: .create)
      try sqlite.execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;")
      found = try sqlite.row("PRAGMA user_version") { $0.integer(0) } ?? 0
      if found == 0 {
        try sqlite.transaction(immediate: true, failure: { $0 }) { () throws(SQLiteError) -> Void in
          try sqlite.execute("\(Self.create) PRAGMA user_version = \(Self.version);")
        }
      }
    } catch { throw .store("\(error)") }
    if found > Self.version {
      throw .store("\(path) has version \(found), this program reads up to \(Self.version): use the newer release")
    }
    state = Monitor(Connection(sqlite: sqlite))
  }

  private static func path(_ folder: String) -> String { "\(folder)/responder-state.sqlite" }

  /// Makes a token.
  /// - Parameter bundleIDs: apps it is for; nil where it is for all.
  /// - Returns: the token, which is told here and nowhere again.
  public func add(
    name: String, scopes: Set<APIScope>, bundleIDs: Set<String>? = nil
  ) throws(APITokensError) -> String {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isSafe) else { throw .nameInvalid }
    if name == TokenGuard.settingsName { throw .nameReserved(name) }
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

  /// The token in force with that digest. It is looked up by its digest, from which nobody learns the token.
  func token(digest: [UInt8]) throws(APITokensError) -> APIToken? {
    try lookAnew()
    return try state.withLock { state throws(APITokensError) in
      try Self.rows(state.sqlite, "WHERE digest = ? AND revoked_at IS NULL", [.blob(digest)]).first?.token
    }
  }

  /// Whether the digest is certainly of no token in force, so that a stranger need not wait for the store and nobody
  /// waits for a stranger. For network threads: looks at no more than the file's print. Compares in constant time.
  func isStranger(_ digest: [UInt8]) -> Bool {
    guard let print = FilePrint(path) else { return false }
    return seen.withLock { seen in
      guard seen.isSettled, seen.print == print else { return false }
      var isKnown = false
      for known in seen.digests where ConstantTime.equal(known, digest) { isKnown = true }
      return !isKnown
    }
  }

  /// Reads the digests in force again where the file may have changed since. Opens nothing itself: closing a file that
  /// SQLite has open would drop its locks.
  private func lookAnew() throws(APITokensError) {
    // Taken before the read, so that what is written meanwhile shows.
    let print = FilePrint(path)
    let isSettled = print?.isSettled ?? false
    if seen.withLock({ $0.isSettled && $0.print == print }) { return }
    let digests = try state.withLock { state throws(APITokensError) in
      try Self.rows(state.sqlite, "WHERE revoked_at IS NULL").map(\.digest)
    }
    seen.change { $0 = Seen(print: print, isSettled: isSettled, digests: digests) }
  }

  private func change(_ body: (SQLiteConnection) throws(APITokensError) -> Void) throws(APITokensError) {
    try state.withLock { state throws(APITokensError) in
      try state.sqlite.transaction(immediate: true, failure: { .store("\($0)") }) { () throws(APITokensError) in
        try body(state.sqlite)
      }
    }
  }

  private static func rows(
    _ sqlite: SQLiteConnection, _ condition: String = "", _ values: [SQLiteValue] = []
  ) throws(APITokensError) -> [(digest: [UInt8], token: APIToken)] {
    let sql = "SELECT digest, name, scopes, bundle_ids, created_at, revoked_at FROM api_tokens \(condition)"
    do throws(SQLiteError) {
      return try sqlite.rows(sql, values) { row in
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

  /// Digests in force as they were at a print of the file.
  private struct Seen: Sendable {
    var print: FilePrint?
    /// A later change shows in the print.
    var isSettled: Bool
    var digests: [[UInt8]]
  }

  /// `@unchecked Sendable`: used under the monitor's lock alone.
  private struct Connection: @unchecked Sendable { let sqlite: SQLiteConnection }
}

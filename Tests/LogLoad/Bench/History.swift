import Cryptography
import EventLog
import SQLite
import Service

/// Makes a log with a long history, quickly and the same each time: straight into the file, without syncs, with
/// digests and chain as FORMAT describes them. `log verify` must find nothing wrong with it.
struct History {
  let folder: String
  let shape: HistoryShape
  let count: Int

  func make() throws {
    let parts = LogParts(
      clock: { 1_780_000_000_000 },
      randomBytes: {
        var random = SplitMix(seed: 3)
        return random.bytes($0)
      }, newLogID: { "00000000-0000-4000-8000-00000000b0de" })
    let log = try LocalEventLog(folder: folder, access: .readWrite, parts: parts)
    let genesis = log.identity.genesis
    log.close()
    let sqlite = try SQLiteConnection(path: folder + "/events.sqlite", mode: .readWrite)
    _ = try sqlite.row("PRAGMA journal_mode=OFF") { $0.text(0) }
    try sqlite.execute("PRAGMA synchronous=OFF; PRAGMA cache_size=-1000000; PRAGMA locking_mode=EXCLUSIVE")
    // They compare each event with the whole log; what is written here is in order by construction.
    let triggers = try sqlite.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")
    {
      (name: $0.text(0), sql: $0.text(1))
    }
    for trigger in triggers { try sqlite.execute("DROP TRIGGER \(trigger.name)") }
    try sqlite.execute("BEGIN")
    try fill(sqlite, after: genesis)
    for trigger in triggers { try sqlite.execute(trigger.sql) }
    try sqlite.execute("COMMIT")
    _ = try sqlite.row("PRAGMA journal_mode=WAL") { $0.text(0) }
  }

  private func fill(_ sqlite: SQLiteConnection, after genesis: [UInt8]) throws(SQLiteError) {
    let notices = Notices()
    try sqlite.run(
      "INSERT INTO headers (digest, bytes) VALUES (?, ?)",
      [.blob(SHA256.digest(of: notices.header).bytes), .blob(notices.header)])
    var random = SplitMix(seed: 4)
    var versions = [Int32](repeating: 0, count: count + 1)
    var chain = genesis
    let insert = """
      INSERT INTO events (position, id, stream, version, type, schema, kind, environment, app, customer, occurred_at, \
      signed_at, recorded_at, data, seams, salt, digest, chain) \
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    for number in 0..<count {
      let (type, purchase) = shape.event(number, of: count, random: &random)
      let instant = 1_780_000_000_000 + Int64(number) * 1_000
      let draft = notices.draft(type, purchase: purchase, signedAt: instant - 900, occurredAt: instant, random: &random)
      versions[purchase] += 1
      let salt = random.bytes(16)
      let event = HistoryHash(
        draft: draft, position: Int64(number + 1), version: Int64(versions[purchase]), recordedAt: instant, salt: salt)
      chain = event.chain(after: chain)
      try sqlite.run(
        insert,
        [
          .integer(event.position), .text(draft.id.text), .text(draft.stream.text), .integer(event.version),
          .text(draft.type), .integer(draft.schema), .text(draft.kind), .text(draft.environment), .text(draft.app),
          .text(draft.customer), .integer(draft.occurredAt), .integer(draft.signedAt), .integer(instant),
          .utf8(draft.data), .blob(draft.seams!.encoded), .blob(salt), .blob(event.digest), .blob(chain),
        ])
    }
  }
}

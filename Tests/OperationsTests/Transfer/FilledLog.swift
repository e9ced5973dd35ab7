import Cryptography
import EventLog
import Glibc
import SQLite
import Service
import TestSupport
import Testing

@testable import Operations

/// A data folder with a log in which everything occurs that a copy could lose: signed tokens and raw ones, what is
/// absent, what was erased, types of a newer release, text that JSON writes in two ways.
struct FilledLog: ~Copyable {
  static let start: Int64 = 1_764_500_000_000
  static let header = Array(#"{"alg":"ES256","x5c":["a","b"]}"#.utf8)
  static let events = 7

  let folder = TemporaryFolder()

  var path: String { folder.path }

  init() throws {
    let log = try LocalEventLog.open(folder.path, clock: .fixed(Self.start))
    defer { log.close() }
    let data = Array("{\"a\":\"\\u0041\\/\\u0000 é 日本 \\uD83D\\uDE00 😀\",\"n\":1.50e2}".utf8)
    let digest = SHA256.digest(of: Self.header).bytes
    let seams = Seams(
      .spliced(
        headerDigests: [digest],
        tokens: [.init(header: 0, payload: 0..<data.count, signature: (0..<64).map { UInt8($0) })]))
    _ = try log.append([
      EventDraft(
        id: EventID("notification/1"), stream: StreamName("purchase/Sandbox/1"), type: "NotificationReceived",
        kind: "REFUND/SEATS", environment: "Sandbox", app: "com.example.coins",
        customer: String(repeating: "a", count: 64), occurredAt: Self.start - 5, signedAt: Self.start - 9, data: data,
        seams: seams, headers: [Self.header]),
      EventDraft(
        id: EventID("notification/2"), stream: StreamName("purchase/Sandbox/2"), type: "NotificationReceived",
        kind: "TEST", environment: "Sandbox", app: "com.example.coins", occurredAt: Self.start, data: Array("{}".utf8),
        seams: Seams(.raw(Array("a.b.c".utf8)))),
      Self.event("outcome/1", stream: "purchase/Sandbox/1", type: "Outcome", causation: "notification/1"),
      Self.event("later/1", stream: "elsewhere", type: "SomethingLater", schema: 3),
      Self.event("erased/1", stream: "customer/x", type: "ConsentRecorded"),
      Self.event("later/2", stream: "elsewhere", type: "SomethingLater", schema: 3),
      Self.event("notUTF8", stream: "app/com.example.coins", type: "SomethingLater", data: [0x22, 0xFF, 0x22]),
    ])
    _ = try log.erase([EventID("erased/1")])
  }

  private static func event(
    _ id: String, stream: String, type: String, schema: Int64 = 1, causation: String? = nil,
    data: [UInt8] = Array(#"{"x":1}"#.utf8)
  ) -> EventDraft {
    EventDraft(
      id: EventID(id), stream: StreamName(stream), type: type, schema: schema, occurredAt: start,
      causation: causation.map(EventID.init), data: data)
  }

  enum Fault: CaseIterable { case altered, missing, header }

  /// What a disk, or somebody with a shell, may do to the file.
  func damage(_ fault: Fault) throws {
    let sqlite = try SQLiteConnection(path: path + "/events.sqlite", mode: .readWrite)
    let triggers = try sqlite.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") {
      (name: $0.text(0), sql: $0.text(1))
    }
    for trigger in triggers { try sqlite.execute("DROP TRIGGER \(trigger.name)") }
    switch fault {
    case .altered: try sqlite.execute("UPDATE events SET data = '{\"x\":2}' WHERE id = 'later/2'")
    case .missing: try sqlite.execute("DELETE FROM events WHERE position = 3")
    case .header: try sqlite.execute("UPDATE headers SET bytes = CAST('{}' AS BLOB)")
    }
    for trigger in triggers { try sqlite.execute(trigger.sql) }
  }

  /// Everything in the three tables, as SQLite writes it down.
  static func dump(_ folder: String) throws -> [String] {
    let sqlite = try SQLiteConnection(path: folder + "/events.sqlite", mode: .readOnly)
    return try [
      "SELECT quote(id) || quote(secret) || format || ' ' || created_at FROM log",
      "SELECT id || quote(digest) || quote(bytes) FROM headers ORDER BY id",
      """
      SELECT position || quote(id) || quote(stream) || version || quote(type) || schema || quote(kind) || quote(environment)
        || quote(app) || quote(customer) || occurred_at || quote(signed_at) || recorded_at || quote(causation)
        || quote(correlation) || quote(CAST(data AS BLOB)) || quote(seams) || quote(salt) || quote(digest) || quote(chain)
      FROM events ORDER BY position
      """, "SELECT sql FROM sqlite_schema ORDER BY type, name",
      "SELECT page_size FROM pragma_page_size", "SELECT user_version FROM pragma_user_version",
      "SELECT application_id FROM pragma_application_id",
    ].flatMap { query in try sqlite.rows(query) { $0.text(0) } }
  }

  /// Names in a folder, but for those that come and go with whoever looks.
  static func names(_ folder: String) -> [String] {
    guard let open = opendir(folder) else { return [] }
    defer { closedir(open) }
    var found: [String] = []
    while let entry = readdir(open) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != "..", !name.hasSuffix("-shm"), !name.hasSuffix("-wal") { found.append(name) }
    }
    return found.sorted()
  }

  static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}

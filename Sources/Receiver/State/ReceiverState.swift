import Glibc
import SQLite

/// The receiver's state as others may read it, beside the running receiver: what is parked, and
/// notes of what was refused. For one thread at a time.
public final class ReceiverState {
  private let sqlite: SQLiteConnection

  /// Opens the state of a data folder for reading only.
  public init(folder: String) throws(ReceiverStateError) {
    let path = "\(folder)/\(ReceiverStateSchema.fileName)"
    guard access(path, F_OK) == 0 else { throw .absent(path: path) }
    let found: Int64
    do throws(SQLiteError) {
      sqlite = try SQLiteConnection(path: path, mode: .readOnly)
      found = try ReceiverStateSchema.version(of: sqlite)
    } catch { throw ReceiverStateError(error) }
    guard found <= ReceiverStateSchema.version else {
      throw .newer(path: path, found: found, supported: ReceiverStateSchema.version)
    }
    // The file is there, its tables not yet: the receiver that makes them is just starting.
    guard found > 0 else { throw .absent(path: path) }
  }

  /// What is parked, in the order of arrival.
  /// - Parameters:
  ///   - after: number of the last one already seen.
  ///   - bundleIDs: of these bundles alone; nil means all.
  public func parked(
    after id: Int64 = 0, bundleIDs: [String]? = nil, limit: Int = 100
  ) throws(ReceiverStateError) -> [ParkedNotification] {
    let bundles = bundleIDs.map { " AND bundle IN (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
    return try reading { () throws(SQLiteError) in
      try sqlite.rows(
        """
        SELECT id, bundle, environment, app_apple_id, notification_uuid, type, reason, detail, first_received_at,
          last_received_at, deliveries, token FROM parked WHERE id > ?\(bundles) ORDER BY id LIMIT ?
        """, [.integer(id)] + (bundleIDs ?? []).map { .text($0) } + [.integer(Int64(limit))]
      ) { row in
        ParkedNotification(
          id: row.integer(0), bundleID: row.optionalText(1), environment: row.optionalText(2),
          appAppleID: row.optionalInteger(3), notificationUUID: row.optionalText(4), type: row.optionalText(5),
          reason: ParkingReason(rawValue: row.text(6)) ?? .shape, detail: row.text(7), firstReceivedAt: row.integer(8),
          lastReceivedAt: row.integer(9), deliveries: row.integer(10), token: row.bytes(11))
      }
    }
  }

  /// Numbers of all that are parked for a bundle.
  func parkedIDs(bundleID: String) throws(ReceiverStateError) -> [Int64] {
    try reading { () throws(SQLiteError) in
      try sqlite.rows("SELECT id FROM parked WHERE bundle = ? ORDER BY id", [.text(bundleID)]) { $0.integer(0) }
    }
  }

  /// Number of the newest that is parked; 0 where nothing is.
  func newestParkedID() throws(ReceiverStateError) -> Int64 {
    try reading { () throws(SQLiteError) in
      try sqlite.row("SELECT coalesce(max(id), 0) FROM parked") { $0.integer(0) } ?? 0
    }
  }

  /// How much is parked.
  public func parkedCount() throws(ReceiverStateError) -> Int {
    try reading { () throws(SQLiteError) in try sqlite.row("SELECT count(*) FROM parked") { Int($0.integer(0)) } ?? 0 }
  }

  /// Notes of refused bodies, those first that were seen last.
  public func quarantine(limit: Int = 100) throws(ReceiverStateError) -> [QuarantineNote] {
    try reading { () throws(SQLiteError) in
      try sqlite.rows(
        """
        SELECT id, digest, first_received_at, last_received_at, deliveries, remote_address, code, detail, body_bytes,
          excerpt FROM quarantine ORDER BY last_received_at DESC, id DESC LIMIT ?
        """, [.integer(Int64(limit))]
      ) { row in
        QuarantineNote(
          id: row.integer(0), digest: row.bytes(1), firstReceivedAt: row.integer(2), lastReceivedAt: row.integer(3),
          deliveries: row.integer(4), remoteAddress: row.text(5), code: row.text(6), detail: row.text(7),
          bodyBytes: row.integer(8), excerpt: row.bytes(9))
      }
    }
  }

  private func reading<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(ReceiverStateError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw ReceiverStateError(error) }
  }
}

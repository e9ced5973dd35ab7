import Glibc
import SQLite

/// What the state's own thread does to the file: parks, lets go, notes.
///
/// `@unchecked Sendable`: made by the thread that starts the receiver, then touched only by the
/// state's own thread.
final class StateStore: @unchecked Sendable {
  /// Notes that one step forgets; more than are written at once.
  static let forgottenMax = 512

  private let path: String
  private let log: String
  private let gate: StateGate
  private var connection: StateConnection?
  private var wasOpened = false
  private(set) var usage: ParkingUsage
  private var quarantineLimits: QuarantineLimits
  private var quarantined: (count: Int, bytes: Int) = (0, 0)
  /// What `PRAGMA data_version` said when the figures above were counted.
  private var countedVersion: Int64?

  /// Opens or makes the state in a folder.
  init(
    folder: String, parking: ParkingUsage, quarantine: QuarantineLimits
  ) throws(ReceiverStateError) {
    path = "\(folder)/\(ReceiverStateSchema.fileName)"
    log = "\(folder)/events.sqlite"
    gate = try StateGate(path: "\(folder)/receiver-state.gate")
    usage = parking
    quarantineLimits = quarantine
    try change(durable: true) { _ throws(SQLiteError) in }
  }

  var quarantinedCount: Int { quarantined.count }

  func configure(configured: Set<[UInt8]>, parking: ParkingLimits, quarantine: QuarantineLimits) {
    usage.limits = parking
    usage.configured = configured
    quarantineLimits = quarantine
  }

  /// Counts anew where another process has written, and forgets notes that are past a bound, so
  /// many at most that what is genuine does not wait for it.
  /// - Parameter now: milliseconds since 1970, UTC.
  /// - Returns: whether more of them may be past a bound.
  func tend(now: Int64) throws(ReceiverStateError) -> Bool {
    try change(durable: false) { sqlite throws(SQLiteError) in try forget(now: now, sqlite) }
  }

  /// Keeps each notification that is new and has room. On disk when this returns.
  func park(_ notifications: [ParkedNotification]) throws(ReceiverStateError) -> [ParkingOutcome] {
    try change(durable: true) { sqlite throws(SQLiteError) in
      var outcomes: [ParkingOutcome] = []
      for notification in notifications { outcomes.append(try park(notification, sqlite)) }
      return outcomes
    }
  }

  private func park(_ parked: ParkedNotification, _ sqlite: SQLiteConnection) throws(SQLiteError) -> ParkingOutcome {
    let known = try sqlite.row(
      """
      UPDATE parked SET deliveries = deliveries + 1, last_received_at = max(last_received_at, ?) WHERE identity = ?
      RETURNING deliveries
      """, [.integer(parked.lastReceivedAt), .text(parked.identity)]
    ) { $0.integer(0) }
    if let known { return .known(deliveries: known) }
    let bucket = ParkingUsage.Bucket(parked)
    let bytes = parked.token.count
    if let bound = usage.objection(to: bucket, bytes: bytes) { return .full(bound: bound) }
    try sqlite.run(
      """
      INSERT INTO parked (identity, bundle, environment, app_apple_id, notification_uuid, type, reason, detail,
        first_received_at, last_received_at, deliveries, token_digest, token, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(parked.identity), .text(parked.bundleID), .text(parked.environment), .integer(parked.appAppleID),
        .text(parked.notificationUUID), .text(parked.type), .text(parked.reason.rawValue), .text(parked.detail),
        .integer(parked.firstReceivedAt), .integer(parked.lastReceivedAt), .integer(parked.deliveries),
        .blob(parked.tokenDigest), .blob(parked.token), .integer(Int64(bytes)),
      ])
    usage.add(bucket, bytes: bytes)
    return .parked(inAll: usage.count)
  }

  /// Lets those go that are in the log now or can never get there, and writes down why the others
  /// stay. On disk when this returns.
  func settle(_ settlement: ParkedSettlement) throws(ReceiverStateError) {
    try change(durable: true) { sqlite throws(SQLiteError) in
      for staying in settlement.staying {
        try sqlite.run(
          "UPDATE parked SET reason = ?, detail = ? WHERE id = ?",
          [.text(staying.reason.rawValue), .text(staying.detail), .integer(staying.id)])
      }
      for id in settlement.inLog + settlement.refused { _ = try letGo(id, sqlite) }
    }
  }

  /// Removes what is parked for good, so many at most. On disk when this returns.
  /// - Returns: what was removed; what is not parked is passed over.
  func remove(_ ids: [Int64]) throws(ReceiverStateError) -> [RemovedNotification] {
    try change(durable: true) { sqlite throws(SQLiteError) in
      var removed: [RemovedNotification] = []
      for id in ids { if let gone = try letGo(id, sqlite) { removed.append(gone) } }
      return removed
    }
  }

  private func letGo(_ id: Int64, _ sqlite: SQLiteConnection) throws(SQLiteError) -> RemovedNotification? {
    let gone = try sqlite.row(
      """
      DELETE FROM parked WHERE id = ?
      RETURNING bundle, environment, type, bytes, notification_uuid, first_received_at, deliveries
      """, [.integer(id)]
    ) {
      (
        RemovedNotification(
          id: id, bundleID: $0.optionalText(0), environment: $0.optionalText(1), type: $0.optionalText(2),
          notificationUUID: $0.optionalText(4), firstReceivedAt: $0.integer(5), deliveries: $0.integer(6)),
        Int($0.integer(3))
      )
    }
    guard let (notification, bytes) = gone else { return nil }
    usage.remove(
      ParkingUsage.Bucket(
        bundle: notification.bundleID,
        isProduction: ParkingShare.isProduction(environment: notification.environment, type: notification.type)),
      bytes: bytes)
    return notification
  }

  /// Writes notes, and forgets those that are past a bound, longest unseen first. A power cut may
  /// lose the newest.
  /// - Parameter now: milliseconds since 1970, UTC.
  func note(_ notes: [QuarantineNote], now: Int64) throws(ReceiverStateError) {
    try change(durable: false) { sqlite throws(SQLiteError) in
      for note in notes { try self.note(note, sqlite) }
      _ = try forget(now: now, sqlite)
    }
  }

  private func note(_ note: QuarantineNote, _ sqlite: SQLiteConnection) throws(SQLiteError) {
    try sqlite.run(
      """
      UPDATE quarantine SET deliveries = deliveries + ?, last_received_at = max(last_received_at, ?), remote_address = ?
      WHERE digest = ?
      """,
      [
        .integer(note.deliveries), .integer(note.lastReceivedAt), .text(note.remoteAddress), .blob(note.digest),
      ])
    if sqlite.changes > 0 { return }
    try sqlite.run(
      """
      INSERT INTO quarantine (digest, first_received_at, last_received_at, deliveries, remote_address, code, detail,
        body_bytes, excerpt, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .blob(note.digest), .integer(note.firstReceivedAt), .integer(note.lastReceivedAt), .integer(note.deliveries),
        .text(note.remoteAddress), .text(note.code), .text(note.detail), .integer(note.bodyBytes), .blob(note.excerpt),
        .integer(Int64(note.bytes)),
      ])
    quarantined.count += 1
    quarantined.bytes += note.bytes
  }

  /// - Returns: whether it stopped at what one step may take.
  private func forget(now: Int64, _ sqlite: SQLiteConnection) throws(SQLiteError) -> Bool {
    let oldest = try sqlite.rows(
      "SELECT id, last_received_at, bytes FROM quarantine ORDER BY last_received_at, id LIMIT ?",
      [.integer(Int64(Self.forgottenMax))]
    ) { (id: $0.integer(0), at: $0.integer(1), bytes: Int($0.integer(2))) }
    for (index, note) in oldest.enumerated() {
      guard
        note.at < now - quarantineLimits.ageMilliseconds || quarantined.count > quarantineLimits.count
          || quarantined.bytes > quarantineLimits.bytes
      else { return false }
      try sqlite.run("DELETE FROM quarantine WHERE id = ?", [.integer(note.id)])
      quarantined.count -= 1
      quarantined.bytes -= note.bytes
      if index + 1 == Self.forgottenMax { return true }
    }
    return false
  }

  // MARK: The file

  private func change<Result>(
    durable: Bool, _ body: (SQLiteConnection) throws(SQLiteError) -> Result
  ) throws(ReceiverStateError) -> Result {
    do throws(ReceiverStateError) {
      return try gate.pass { () throws(ReceiverStateError) -> Result in
        let connection = try openConnection()
        let act = { () throws(SQLiteError) -> Result in
          try self.countAgain(connection.sqlite)
          return try body(connection.sqlite)
        }
        return durable ? try connection.durably(act) : try connection.casually(act)
      }
    } catch {
      // The figures in memory may be ahead of what was rolled back.
      connection = nil
      countedVersion = nil
      throw error
    }
  }

  /// The connection, opened anew where the last change failed or the file at the path is another
  /// one.
  private func openConnection() throws(ReceiverStateError) -> StateConnection {
    if let connection, connection.isCurrent { return connection }
    countedVersion = nil
    connection = nil
    // Where a log is being restored, what is parked comes with it: a file of ours would be in its way.
    guard !wasOpened || access(path, F_OK) == 0 || access(log, F_OK) == 0 else {
      throw .unreachable(path: path, reason: "no log stands beside it")
    }
    let opened = try StateConnection(path: path)
    connection = opened
    wasOpened = true
    return opened
  }

  /// Counts what the file holds where that is not known, or where another process has written.
  private func countAgain(_ sqlite: SQLiteConnection) throws(SQLiteError) {
    let version = try sqlite.row("PRAGMA data_version") { $0.integer(0) }
    if version == countedVersion { return }
    var amounts: [ParkingUsage.Bucket: ParkingLimits.Amount] = [:]
    let rows = try sqlite.rows(
      """
      SELECT bundle, coalesce(environment = 'Production' AND type IS NOT 'TEST', 0), count(*), sum(bytes)
      FROM parked GROUP BY 1, 2
      """
    ) {
      (
        ParkingUsage.Bucket(bundle: $0.optionalText(0), isProduction: $0.integer(1) != 0),
        ParkingLimits.Amount(count: Int($0.integer(2)), bytes: Int($0.integer(3)))
      )
    }
    for (bucket, amount) in rows { amounts[bucket] = amount }
    usage.replace(with: amounts)
    quarantined =
      try sqlite.row("SELECT count(*), coalesce(sum(bytes), 0) FROM quarantine") {
        (count: Int($0.integer(0)), bytes: Int($0.integer(1)))
      } ?? (0, 0)
    countedVersion = version
  }
}

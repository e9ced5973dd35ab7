import Cryptography
import Glibc
import SQLite
import Service

/// One verification under way: stretches of the log and, beside them, what else there is to check, taken one after
/// the other by a few threads.
final class VerificationRun: Sendable {
  private struct State {
    /// The next stretch begins after this position.
    var next: Position
    /// Other work, the next one last.
    var checks: [Check] = [.ids, .versions, .headers, .earlier, .file]
    /// Ends of stretches that are proved while one before them is not, with the chains there.
    var ends: [Position: (end: Position, chain: SHA256Digest)] = [:]
    /// Everything up to here is proved.
    var reached: LogPlace
    var sums = EventProver.Sums()
    /// Of the rows before the first one to prove: the indexes are compared whole, wherever a run begins.
    var earlier = EventProver.Sums()
    var indexed = EventProver.Sums()
    var erased = PositionSet()
    var failure: LogVerifier.Failure?
    /// Where the failure is; what lies before is still looked at.
    var failed = Position(.max)
    var isStopped = false
    var working: Int
  }

  /// What the stretches do not show: a look-up by id or by stream goes through an index. Each statement names its
  /// index, so that none that somebody added is read in its place.
  private enum Check { case ids, versions, headers, file, earlier }

  private enum Work {
    case stretch(after: Position, through: Position)
    case check(Check)
  }

  private let files: LogFiles
  private let stretch: Int64
  private let identity: LogIdentity
  private let headers: VerifiedHeaders
  private let from: LogPlace
  private let through: LogPlace
  private let state: Monitor<State>

  init(
    _ files: LogFiles, stretch: Int64, identity: LogIdentity, headers: VerifiedHeaders, from: LogPlace,
    through: LogPlace
  ) {
    self.files = files
    self.stretch = stretch
    self.identity = identity
    self.headers = headers
    self.from = from
    self.through = through
    state = Monitor(State(next: from.position, reached: from, working: 0))
  }

  func prove(
    threads: Int, proceed: (Position, Position) -> Bool
  ) throws(LogVerifier.Failure) -> (events: Int64, erased: PositionSet) {
    let isWanted = proceed(from.position, through.position)
    state.change { state in
      state.working = threads
      state.isStopped = !isWanted
    }
    let workers = (0..<threads).map { _ in OwnedThread(name: "log.verify") { [self] in work() } }
    while true {
      let deadline = MonotonicClock.milliseconds() + 200
      if state.wait(until: deadline, { $0.working == 0 ? true : nil }) == true { break }
      let reached = state.withLock { $0.reached.position }
      if !proceed(reached, through.position) { state.change { $0.isStopped = true } }
    }
    for worker in workers { worker.join() }
    let end = state.withLock { $0 }
    if let failure = end.failure { throw failure }
    if end.isStopped {
      throw .stopped(end.reached)
    }
    _ = proceed(through.position, through.position)
    try compare(end)
    return (end.sums.rows, end.erased)
  }

  /// Rows and entries of the indexes give the same sums where each stands once in each.
  private func compare(_ end: State) throws(LogVerifier.Failure) {
    var rows = end.earlier
    rows += end.sums
    let what: String? =
      rows.ids != end.indexed.ids
      ? "the index of ids" : rows.versions != end.indexed.versions ? "the index of streams" : nil
    guard let what else { return }
    throw .damage(
      .init(
        position: through.position, what: "up to here the events are whole, \(what) is not: an event would not be found"
      ))
  }

  // MARK: The threads

  private func work() {
    do throws(LogVerifier.Failure) {
      let connection: LogConnection
      do throws(LogOpenError) { connection = try LogConnection(files, mode: .readOnly) } catch { throw .open(error) }
      guard connection.identity == identity else {
        throw .open(.damaged(path: files.events, .replaced(expected: identity.id, found: connection.identity.id)))
      }
      while let work = next() {
        switch work {
        case .stretch(let after, let through): try prove(after: after, through: through, connection)
        case .check(let check):
          do throws(LogVerifier.Failure) { try self.check(check, connection) } catch {
            fail(error, at: afterAllEvents)
          }
        }
      }
    } catch { fail(error, at: .start) }
    state.change { $0.working -= 1 }
  }

  private func next() -> Work? {
    state.withLock { state in
      if state.isStopped { return nil }
      // The longest check, as long as proving every eighth event: begun so that all threads end together.
      let rest = through.position.value - state.next.value
      if rest <= (through.position.value - from.position.value) / 8, state.checks.last == .file, state.failure == nil {
        return .check(state.checks.removeLast())
      }
      // Before a fault there may be another, and the first one is told.
      if state.next < min(through.position, state.failed) {
        let after = state.next
        state.next = Position(min(after.value + stretch, through.position.value))
        return .stretch(after: after, through: state.next)
      }
      return state.failure == nil ? state.checks.popLast().map { .check($0) } : nil
    }
  }

  /// Where the faults of checks stand: an event that is altered is told before them.
  private var afterAllEvents: Position { through.position.next }

  /// Keeps the first place of all: threads that prove what lies before it go on to their stretch's end.
  private func fail(_ failure: LogVerifier.Failure, at position: Position) {
    state.change { state in
      guard position < state.failed else { return }
      state.failed = position
      state.failure = failure
    }
  }

  private func prove(after: Position, through end: Position, _ connection: LogConnection) throws(LogVerifier.Failure) {
    var reached = after
    let unreadable = { [files] (error: SQLiteError) in LogVerifier.failure(error, reached: reached, files) }
    do throws(LogVerifier.Failure) {
      try connection.sqlite.transaction(immediate: false, failure: unreadable) { () throws(LogVerifier.Failure) in
        let chain: [UInt8]?
        do throws(SQLiteError) { chain = try connection.chain(at: after) } catch { throw unreadable(error) }
        // Where the event before is gone, the stretch before says so.
        guard let chain = SHA256Digest(bytes: chain ?? []) else {
          throw .damage(.init(position: after, what: "events are missing: \(after) is not there"))
        }
        var prover = EventProver(after: after, chain: chain, headers: headers)
        try connection.sqlite.forEachRow(
          // What stands before the first position would be an event that somebody slipped in.
          "SELECT \(LogSchema.columns) FROM events NOT INDEXED WHERE position > ? AND position <= ? ORDER BY position",
          [.integer(after == .start ? .min : after.value), .integer(end.value)], failure: unreadable
        ) { row throws(LogVerifier.Failure) in
          if let what = prover.objection(to: row) {
            throw .damage(.init(position: min(Position(row.integer(0)), reached.next), what: what))
          }
          reached = prover.position
          return true
        }
        guard reached == end else {
          throw .damage(.init(position: reached.next, what: "events are missing: \(reached.next) to \(end)"))
        }
        note(prover, after: after)
      }
    } catch {
      if case .damage(let damage) = error { return fail(error, at: damage.position) }
      throw error
    }
  }

  private func note(_ prover: borrowing EventProver, after: Position) {
    let (end, chain, sums, blanks) = (prover.position, prover.chain, prover.sums, prover.blanks)
    state.change { state in
      state.sums += sums
      for blank in blanks { state.erased.insert(blank) }
      state.ends[after] = (end, chain)
      while let proved = state.ends.removeValue(forKey: state.reached.position) {
        state.reached = LogPlace(position: proved.end, chain: proved.chain.bytes)
      }
    }
  }

  private func check(_ check: Check, _ connection: LogConnection) throws(LogVerifier.Failure) {
    let unreadable = { [files, through] (error: SQLiteError) in
      LogVerifier.failure(error, reached: through.position, files)
    }
    switch check {
    case .earlier: try sumEarlier(connection, unreadable)
    case .ids:
      let sum = try sum(
        "SELECT id, 0, position FROM events INDEXED BY sqlite_autoindex_events_1 ORDER BY id", "the index of ids",
        connection, unreadable
      ) { EventProver.Sums.id($0, $2) }
      state.change { $0.indexed.ids = sum }
    case .versions:
      let sum = try sum(
        """
        SELECT stream, version, position FROM events INDEXED BY sqlite_autoindex_events_2 ORDER BY stream, version
        """, "the index of streams", connection, unreadable, EventProver.Sums.version)
      state.change { $0.indexed.versions = sum }
    case .headers:
      let missed: Int64?
      do throws(SQLiteError) {
        missed = try connection.sqlite.row(
          // The inner table is read through its index of digests (the plus forbids its ids), the outer one as it stands.
          """
          SELECT count(*) FROM headers NOT INDEXED
          WHERE NOT EXISTS (SELECT 1 FROM headers AS found WHERE found.digest = headers.digest AND +found.id = headers.id)
          """
        ) { $0.integer(0) }
      } catch { throw unreadable(error) }
      if missed != 0 {
        throw .damage(
          .init(
            position: through.position,
            what: "up to here the events are whole, the index of headers is not: a header would not be found"))
      }
    case .file:
      // Everything but the indexes' content, which took most of the time and is compared above.
      let complaint: String?
      do throws(SQLiteError) {
        complaint = try connection.sqlite.row("PRAGMA quick_check(1)") { $0.text(0) }
      } catch { throw unreadable(error) }
      guard let complaint, complaint != "ok" else { return }
      fail(
        .damage(
          .init(position: through.position, what: "up to here the events are whole, the file is not: \(complaint)")),
        at: afterAllEvents)
    }
  }

  /// Over the rows before the first one to prove: not whether they were altered, but what the indexes must hold of them.
  private func sumEarlier(
    _ connection: LogConnection, _ unreadable: (SQLiteError) -> LogVerifier.Failure
  ) throws(LogVerifier.Failure) {
    var sums = EventProver.Sums()
    var after: Int64 = 0
    while after < from.position.value {
      if state.withLock({ $0.isStopped || $0.failure != nil }) { return }
      let end = min(after + stretch, from.position.value)
      try connection.sqlite.forEachRow(
        "SELECT position, id, stream, version FROM events WHERE position > ? AND position <= ? ORDER BY position",
        [.integer(after == 0 ? .min : after), .integer(end)], failure: unreadable
      ) { row throws(LogVerifier.Failure) in
        sums.add(row)
        return true
      }
      after = end
    }
    state.change { $0.earlier = sums }
  }

  /// Over the entries of an index, up to the last event that is proved here; looks at their order on the way, by which they
  /// are found.
  private func sum(
    _ sql: String, _ name: String, _ connection: LogConnection, _ unreadable: (SQLiteError) -> LogVerifier.Failure,
    _ number: (_ key: UnsafeRawBufferPointer, _ version: Int64, _ position: Int64) -> Int
  ) throws(LogVerifier.Failure) -> Int {
    var sum = 0
    var rows = 0
    var before: (key: [UInt8], version: Int64) = ([], .min)
    try connection.sqlite.forEachRow(sql, failure: unreadable) { row throws(LogVerifier.Failure) in
      let (version, position) = (row.integer(1), row.integer(2))
      let isInOrder = row.withBytes(0) { key in
        let key = key ?? UnsafeRawBufferPointer(start: nil, count: 0)
        if position <= through.position.value { sum &+= number(key, version, position) }
        let order = before.key.withUnsafeBytes { Self.order($0, key) }
        if order != 0 {
          before.key.removeAll(keepingCapacity: true)
          before.key.append(contentsOf: key)
        }
        defer { before.version = version }
        return order < 0 || order == 0 && version > before.version
      }
      guard isInOrder else {
        throw .damage(
          .init(position: through.position, what: "\(name) is out of order: an event would not be found"))
      }
      rows += 1
      return rows % 4_096 != 0 || !state.withLock { $0.isStopped || $0.failure != nil }
    }
    return sum
  }

  /// Below 0 where the left one comes first, 0 where both are the same: the order of SQLite's BINARY.
  private static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    let difference = common == 0 ? 0 : memcmp(left.baseAddress!, right.baseAddress!, common)
    return difference == 0 ? left.count - right.count : Int(difference)
  }
}

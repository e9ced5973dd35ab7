import Glibc
import SQLite
import Service

/// Writes batches of calls under the gate, rings the bell, answers, and checkpoints when it is time.
///
/// `@unchecked Sendable`: made by the opener, then handed to the writer thread, which alone uses it from there on.
final class LogCommitter: @unchecked Sendable {
  /// Pages in the write-ahead log from which on it is copied into the file, and by which it must have grown
  /// since the last try: a reader that stands still must not make every commit try in vain.
  private static let checkpointPages = 1_000

  private let files: LogFiles
  private let parts: LogParts
  private let gate: Gate
  private var bell: Bell
  private let identity: LogIdentity
  private var connection: LogConnection?
  private var storedHeaders: Set<[UInt8]> = []
  private var pagesAtLastCheckpoint = 0

  init(_ files: LogFiles, parts: LogParts, gate: Gate, bell: Bell, connection: LogConnection) {
    self.files = files
    self.parts = parts
    self.gate = gate
    self.bell = bell
    self.connection = connection
    identity = connection.identity
  }

  func close() { connection = nil }

  private typealias Answer = Result<PendingCall.Answer, AppendError>

  /// Writes all calls in one transaction and answers each.
  func commit(_ calls: [PendingCall]) {
    let answers = gate.pass { () -> [Answer] in
      do throws(AppendError) {
        let (answers, head) = try write(calls, through: try openConnection())
        if let head { ring(head) }
        return answers
      } catch {
        // What the connection believes may be wrong after a failed write or sync: the next batch reads anew.
        connection = nil
        storedHeaders.removeAll()
        return calls.map { _ in .failure(error) }
      }
    }
    // Outside the gate: whatever the callers do with their answers, no other process waits for it.
    for (call, answer) in zip(calls, answers) { call.resolve(answer) }
    if let connection, isCheckpointDue(connection) { gate.pass { checkpoint(connection) } }
  }

  private func write(
    _ calls: [PendingCall], through connection: LogConnection
  ) throws(AppendError) -> (answers: [Answer], head: Bell.Reading?) {
    let sqlite = connection.sqlite
    var answers: [Answer] = []
    var grown = false
    var head: Bell.Reading
    do throws(SQLiteError) {
      try sqlite.execute("BEGIN IMMEDIATE")
      let (position, chain) = try connection.head()
      head = Bell.Reading(position: position, chain: chain)
      for call in calls {
        switch call.work {
        case .append(let events, let expecting):
          let before = head.position
          answers.append(try append(events, expecting: expecting, after: &head, through: connection))
          grown = grown || head.position > before
        case .erase(let ids): answers.append(.success(.erased(try erase(ids, through: connection))))
        }
      }
    } catch {
      throw .notWritten("\(error)")
    }
    do throws(SQLiteError) { try sqlite.execute("COMMIT") } catch { throw .unknown("\(error)") }
    return (answers, grown ? head : nil)
  }

  private func append(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion], after head: inout Bell.Reading,
    through connection: LogConnection
  ) throws(SQLiteError) -> Answer {
    for event in events { if let objection = event.objection { return .failure(.notWritten(objection)) } }
    let plan = try AppendPlan.make(
      events, expecting: expecting, next: head.position.next, in: LogIndexInSQLite(sqlite: connection.sqlite))
    for insertion in plan.insertions {
      try storeHeaders(of: insertion.draft, through: connection)
      let event = insertion.recorded(at: parts.clock(), salt: parts.randomBytes(16), after: head.chain)
      try insert(event, through: connection)
      head = Bell.Reading(position: event.position, chain: event.chain)
    }
    return .success(.appended(plan.outcome))
  }

  private func insert(_ event: RecordedEvent, through connection: LogConnection) throws(SQLiteError) {
    try connection.sqlite.run(
      "INSERT INTO events (\(LogSchema.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(event.position.value), .text(event.id.text), .text(event.stream.text), .integer(event.version),
        .text(event.type), .integer(event.schema), .text(event.kind), .text(event.environment), .text(event.app),
        .text(event.customer), .integer(event.occurredAt), .integer(event.signedAt), .integer(event.recordedAt),
        .text(event.causation?.text), .text(event.correlation?.text), .utf8(event.data), .blob(event.seams),
        .blob(event.salt), .blob(event.digest), .blob(event.chain),
      ])
  }

  private func storeHeaders(of draft: EventDraft, through connection: LogConnection) throws(SQLiteError) {
    guard let digests = draft.seams?.headerDigests else { return }
    precondition(digests.count == draft.headers.count, "a draft carries each header that its seams name, in order")
    for (digest, header) in zip(digests, draft.headers) where !storedHeaders.contains(digest) {
      if try connection.header(digest: digest) == nil {
        try connection.sqlite.run("INSERT INTO headers (digest, bytes) VALUES (?, ?)", [.blob(digest), .blob(header)])
      }
      // Certificates change every two years; anything past a handful is looked up instead of remembered.
      if storedHeaders.count < 64 { storedHeaders.insert(digest) }
    }
  }

  private func erase(_ ids: [EventID], through connection: LogConnection) throws(SQLiteError) -> [Position] {
    var positions: [Position] = []
    for id in ids {
      let position = try connection.sqlite.row(
        "SELECT position FROM events WHERE id = ? AND data IS NOT NULL", [.text(id.text)]
      ) { Position($0.integer(0)) }
      guard let position else { continue }
      try connection.sqlite.run(
        "UPDATE events SET data = NULL, seams = NULL, salt = NULL WHERE position = ?", [.integer(position.value)])
      positions.append(position)
    }
    return positions
  }

  /// The connection, opened anew where the last batch failed or the file at the path is another one.
  private func openConnection() throws(AppendError) -> LogConnection {
    if let connection, connection.isCurrent(files) { return connection }
    let opened: LogConnection
    do throws(LogOpenError) { opened = try LogConnection(files, mode: .readWrite) } catch {
      throw .notWritten("\(error)")
    }
    guard opened.identity == identity else {
      throw .notWritten("another log is at \(files.events) now: restart this service over it, or put the old one back")
    }
    storedHeaders.removeAll()
    connection = opened
    return opened
  }

  /// A bell that cannot be rung delays readers by a second and loses a check; the commit stands all the same.
  private func ring(_ head: Bell.Reading) { _ = Result { () throws(FileError) in try bell.ring(head) } }

  private func isCheckpointDue(_ connection: LogConnection) -> Bool {
    let pages = connection.sqlite.walPages
    // The write-ahead log began anew.
    if pages < pagesAtLastCheckpoint { pagesAtLastCheckpoint = 0 }
    return pages > Self.checkpointPages && pages - pagesAtLastCheckpoint >= Self.checkpointPages
  }

  private func checkpoint(_ connection: LogConnection) {
    pagesAtLastCheckpoint = connection.sqlite.walPages
    do throws(SQLiteError) { _ = try connection.sqlite.checkpointPassively() } catch {
      // The commit stands; a connection that cannot copy is opened anew and tries again after the next growth.
      self.connection = nil
    }
  }
}

private struct LogIndexInSQLite: LogIndex {
  let sqlite: SQLiteConnection

  func known(_ id: EventID) throws(SQLiteError) -> KnownEvent? {
    try sqlite.row("SELECT position, stream, type, schema, data, seams FROM events WHERE id = ?", [.text(id.text)]) {
      KnownEvent(
        position: Position($0.integer(0)), stream: StreamName($0.text(1)), type: $0.text(2), schema: $0.integer(3),
        data: $0.optionalBytes(4), seams: $0.optionalBytes(5))
    }
  }

  func version(of stream: StreamName) throws(SQLiteError) -> Int64 {
    try sqlite.row("SELECT coalesce(max(version), 0) FROM events WHERE stream = ?", [.text(stream.text)]) {
      $0.integer(0)
    } ?? 0
  }
}

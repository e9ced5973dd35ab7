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
  private let hold: LogHold
  private var bell: Bell
  private let identity: LogIdentity
  private let memory: LogMemory
  private var connection: LogConnection?
  private var storedHeaders: Set<[UInt8]> = []
  private var pagesAtLastCheckpoint = 0
  private var pagesSeen = 0
  private var mayCheckpoint = true
  /// Reads, and never ends to: while it does, no process lets the write-ahead log begin anew.
  private var pin: LogConnection?

  init(
    _ files: LogFiles, parts: LogParts, gate: Gate, hold: LogHold, bell: Bell, connection: LogConnection,
    memory: LogMemory
  ) {
    self.files = files
    self.parts = parts
    self.gate = gate
    self.hold = hold
    self.bell = bell
    self.connection = connection
    self.memory = memory
    identity = connection.identity
  }

  /// Leaves a file that is as whole as readers allow, for whoever copies it without its write-ahead log.
  func close() {
    if let connection { gate.pass { checkpoint(connection, $0) } }
    connection = nil
    pin = nil
  }

  typealias Answer = Result<PendingCall.Answer, AppendError>

  /// A call and what came of it.
  struct Answered: Sendable {
    let call: PendingCall
    let answer: Answer

    func give() { call.resolve(answer) }
  }

  /// Writes calls in one transaction.
  /// - Parameter take: the calls, asked for once the turn has come: who calls while another process writes comes along.
  /// - Returns: the answers, to be given outside the gate: whatever the callers do with them, no other process waits.
  func commit(_ take: () -> [PendingCall]) -> [Answered] {
    do throws(AppendError) { try followFolder() } catch {
      return take().map { Answered(call: $0, answer: .failure(error)) }
    }
    let asked = MonotonicClock.nanoseconds()
    return gate.pass { turn -> [Answered] in
      let began = MonotonicClock.nanoseconds()
      let calls = take()
      parts.metrics?.waited(nanoseconds: began - asked)
      defer { parts.metrics?.committed(calls: calls.count, nanoseconds: MonotonicClock.nanoseconds() - began) }
      do throws(AppendError) {
        let answers = try write(calls, through: try openConnection(turn), turn)
        return zip(calls, answers).map(Answered.init)
      } catch {
        // After a failed write or sync the connection's pages are not what is on disk. It goes without a word more to
        // the file: closing rolls back in memory, neither syncs nor checkpoints (`ownCheckpoints`), and no ROLLBACK
        // is tried. The next batch opens anew, reads what is there, and has that settled before it believes it.
        connection = nil
        storedHeaders.removeAll()
        return calls.map { Answered(call: $0, answer: .failure(error)) }
      }
    }
  }

  /// Copies the write-ahead log into the file when it is time.
  func checkpointIfDue() {
    if let connection, isCheckpointDue(connection) { gate.pass { checkpoint(connection, $0) } }
  }

  private func write(
    _ calls: [PendingCall], through connection: LogConnection, _ turn: borrowing Gate.Turn
  ) throws(AppendError) -> [Answer] {
    let sqlite = connection.sqlite
    var answers: [Answer] = []
    let before: LogPlace
    var end: End
    let loss: LogReadError?
    do throws(SQLiteError) {
      try sqlite.execute("BEGIN IMMEDIATE")
      before = try connection.head()
      end = End(head: before)
      // A write-ahead log that lost its end looks like a shorter one. What would be appended now would take the
      // positions of what is missing, and the bell would forget that it was there.
      loss = try self.loss(in: connection, head: before)
      for call in loss == nil ? calls : [] {
        switch call.work {
        case .append(let events, let expecting):
          answers.append(try append(events, expecting: expecting, to: &end, through: connection))
        case .erase(let ids): answers.append(.success(.erased(try erase(ids, through: connection))))
        }
      }
    } catch {
      throw .notWritten("\(fault(error))")
    }
    if let loss { throw .notWritten("\(loss)") }
    do throws(SQLiteError) { try sqlite.execute("COMMIT") } catch {
      // A full disk refuses the frames, of which the last makes the commit: it is not there. After a failed sync it is
      // there for who reads the file, and perhaps not on the disk.
      throw error.isFull ? .notWritten("\(fault(error))") : .unknown("\(fault(error))")
    }
    if end.head != before {
      memory.note(appended: end.head, restored: end.restored)
      ring(end.head)
    }
    return answers
  }

  /// Where the log ends while a batch is written.
  private struct End {
    var head: LogPlace
    /// Position of a LogRestored in the batch.
    var restored: Position?
  }

  private func fault(_ error: SQLiteError) -> LogFault { LogFault(error, .look(at: files)) }

  /// What is missing or altered, measured by what this process has seen and by the bell, which other processes ring
  /// under the gate; nil where all is there. Mostly both are the head, and nothing is read for it.
  private func loss(in connection: LogConnection, head: LogPlace) throws(SQLiteError) -> LogReadError? {
    if let bell = bell.reading(), bell != head, let damage = try connection.damage(against: bell) { return damage }
    return try memory.objection(seen: memory.bookmark, head: head, in: connection)
  }

  private func append(
    _ events: [SealedDraft], expecting: [StreamName: ExpectedVersion], to end: inout End,
    through connection: LogConnection
  ) throws(SQLiteError) -> Answer {
    let plan = try AppendPlan.make(
      events, expecting: expecting, next: end.head.position.next, in: LogIndexInSQLite(sqlite: connection.sqlite))
    for insertion in plan.insertions {
      try storeHeaders(of: insertion.sealed.draft, through: connection)
      let event = insertion.recorded(at: parts.clock(), after: end.head.chain)
      try connection.sqlite.insert(event)
      end.head = LogPlace(position: event.position, chain: event.chain)
      if event.isLogRestored { end.restored = event.position }
    }
    return .success(.appended(plan.outcome))
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

  /// Where the folder at the path is another than before (it was moved away, and a restored one put there), or somebody
  /// removed the locks in it, takes part in the locks that are there now first: who restores a log here, or writes one,
  /// does not know of this process by the ones that are held. What may be written into it `openConnection` judges as ever.
  private func followFolder() throws(AppendError) {
    if hold.isInPlace, gate.isInPlace(files) { return }
    connection = nil
    // Nobody holds an empty folder, so that a log can be restored into it.
    guard access(files.events, F_OK) == 0 else {
      throw .notWritten(
        "\(files.folder) was moved away or emptied: put it back, or restore a backup there; writing goes on by itself then"
      )
    }
    do throws(FileError) {
      let locks = try Gate.Locks(files)
      let bell = try Bell(path: files.bell)
      try hold.move()
      gate.move(to: locks)
      self.bell = bell
    } catch {
      throw .notWritten(
        LogHold.isHeldByOthers(error)
          ? "the log of \(files.folder) is being restored, imported or migrated: writing goes on by itself when that is done"
          : "\(LogFault(error, .look(at: files)))")
    }
  }

  /// The connection, opened anew where the last batch failed or the file at the path is another one.
  private func openConnection(_ turn: borrowing Gate.Turn) throws(AppendError) -> LogConnection {
    if let connection, connection.isCurrent(files) { return connection }
    // Exchanged since `followFolder` looked: the next batch follows.
    guard hold.isInPlace else { throw .notWritten("\(files.folder) was exchanged for another folder just now") }
    let opened: LogConnection
    do throws(LogOpenError) { opened = try LogConnection(files, mode: .readWrite) } catch {
      throw .notWritten("\(error)")
    }
    guard opened.identity == identity else {
      throw .notWritten("another log is at \(files.events) now: restart this service over it, or put the old one back")
    }
    // First what is missing, then what is there: a damaged log stays as it is for whoever looks into it.
    let loss: LogReadError?
    do throws(SQLiteError) { loss = try self.loss(in: opened, head: try opened.head()) } catch {
      throw .notWritten("\(fault(error))")
    }
    if let loss { throw .notWritten("\(loss)") }
    do throws(FileError) { try WriteAheadLog.settle(files, isRung: false, turn) } catch {
      throw .notWritten("\(LogFault(error, .look(at: files)))")
    }
    storedHeaders.removeAll()
    connection = opened
    return opened
  }

  /// A bell that cannot be rung delays readers by a second and loses a check; the commit stands all the same.
  private func ring(_ head: LogPlace) { _ = Result { () throws(FileError) in try bell.ring(head) } }

  private func isCheckpointDue(_ connection: LogConnection) -> Bool {
    guard mayCheckpoint else { return false }
    let pages = connection.sqlite.walPages
    // The write-ahead log began anew.
    if pages < pagesSeen {
      pagesAtLastCheckpoint = 0
      parts.metrics?.copiedAll()
    }
    pagesSeen = pages
    return pages > Self.checkpointPages && pages - pagesAtLastCheckpoint >= Self.checkpointPages
  }

  private func checkpoint(_ connection: LogConnection, _ turn: borrowing Gate.Turn) {
    guard mayCheckpoint else { return }
    pagesAtLastCheckpoint = connection.sqlite.walPages
    do throws(SQLiteError) {
      // Readers and the pages they hold are never waited for: what stays behind is copied next time.
      let (pages, copied) = try connection.sqlite.checkpointPassively()
      if pages == copied { parts.metrics?.copiedAll() }
    } catch {
      // The commit stands; a connection that cannot copy is opened anew and tries again after the next growth.
      self.connection = nil
      // Not so after a failed sync of the file: pages that earlier checkpoints copied may be gone with it (one that a
      // reader cuts short counts its pages as copied and does not sync), the next one would copy only what came since,
      // sync without an error, and let the write-ahead log, the one whole copy, be overwritten. Other processes are not
      // told of it where they open the file later, so a reader of our own keeps the write-ahead log, for as long as
      // this process lives; still under the gate, so that nobody was there between. Once all processes have ended, the
      // first one copies it from its beginning: docs/operating.md tells to end them all.
      if error.isFailedSync {
        mayCheckpoint = false
        pin = keepWriteAheadLog()
      }
    }
  }

  /// A connection in a transaction that reads. Not all is copied, as the checkpoint failed: it reads from the write-ahead
  /// log, which then can grow and not begin anew.
  ///
  /// nil where even that fails, for want of a descriptor, of memory, or of a disk that can be read. There is nobody to tell
  /// and nothing more to do here: the next append meets the same want and says so, this process copies nothing any more in
  /// either case, and `refundlog_log_checkpoint_age_seconds` grows.
  private func keepWriteAheadLog() -> LogConnection? {
    guard let reader = try? LogConnection(files, mode: .readOnly) else { return nil }
    guard (try? reader.sqlite.execute("BEGIN")) != nil, (try? reader.head()) != nil else { return nil }
    return reader
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

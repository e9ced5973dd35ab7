import SQLite
import Service

/// The log as one SQLite file, written by any number of processes of one machine in turn.
public final class LocalEventLog: EventLog {
  public enum Access: Sendable { case readOnly, readWrite }

  public let identity: LogIdentity
  private let files: LogFiles
  private let parts: LogParts
  private let writer: LogWriter?
  let readers: LogReaders
  private let hold: LogHold?
  private let watch: LogWatch?

  /// Opens the log in a folder; with `readWrite` folder and log are made where they are absent.
  /// - Throws: `LogOpenError`; a bell that is ahead of the log, or disagrees with it, is damage and refused here.
  public convenience init(folder: String, access: Access, parts: LogParts) throws(LogOpenError) {
    try self.init(folder: folder, access: access, parts: parts, gateMilliseconds: 10_000)
  }

  /// - Parameter gateMilliseconds: how long to wait for the gate. A turn takes milliseconds; who holds it for seconds
  ///   stands still.
  init(folder: String, access: Access, parts: LogParts, gateMilliseconds: Int64) throws(LogOpenError) {
    files = LogFiles(folder: folder)
    self.parts = parts
    let memory: LogMemory
    switch access {
    case .readOnly:
      // The bell first: what it remembers must be in any log read after it.
      let bell = Bell.reading(at: files.bell)
      let connection = try LogConnection(files, mode: .readOnly)
      memory = LogMemory(try Self.wholeHead(of: connection, bell: bell, files))
      identity = connection.identity
      writer = nil
      hold = nil
    case .readWrite:
      let files = files
      let gate: Gate
      let bell: Bell
      let hold: LogHold
      do throws(FileError) {
        try Files.makeLastFolder(folder, mode: 0o770)
        hold = try LogHold(folder: folder, .shared)
        gate = try Gate(files)
        bell = try Bell(path: files.bell)
      } catch {
        throw .unreachable(
          LogHold.isHeldByOthers(error)
            ? "the log of \(folder) is being restored, imported or migrated: start again when that is done"
            : "\(LogFault(error, .look(at: files)))")
      }
      self.hold = hold
      let opened = gate.pass(withinMilliseconds: gateMilliseconds) { turn in
        Self.open(files, parts: parts, bell: bell, turn)
      }
      guard let opened else { throw .gateHeld(path: files.gate, seconds: gateMilliseconds / 1_000) }
      let (connection, head) = try opened.get()
      memory = LogMemory(head)
      identity = connection.identity
      writer = LogWriter(
        LogCommitter(
          files, parts: parts, gate: gate, hold: hold, bell: bell, connection: connection, memory: memory), gate: gate)
    }
    watch = parts.metrics.map { LogWatch($0, memory) }
    readers = LogReaders(files, expected: identity.id, memory: memory)
  }

  /// Writes what waits and closes the files. Appending afterwards gives `AppendError.closed`.
  public func close() {
    watch?.close()
    writer?.close()
    hold?.release()
  }

  private static func open(
    _ files: LogFiles, parts: LogParts, bell: Bell, _ turn: borrowing Gate.Turn
  ) -> Result<(LogConnection, Bookmark), LogOpenError> {
    do throws(LogOpenError) {
      let rung = bell.reading()
      try LogCreation.createIfAbsent(files, parts: parts, bell: rung, turn)
      let connection = try LogConnection(files, mode: .readWrite)
      let head = try wholeHead(of: connection, bell: rung, files)
      do throws(FileError) {
        try WriteAheadLog.settle(files, isRung: rung?.position == head.position, turn)
      } catch {
        throw .unreachable("\(LogFault(error, .look(at: files)))")
      }
      return .success((connection, head))
    } catch { return .failure(error) }
  }

  /// The head of a log that holds at least what the bell remembers.
  private static func wholeHead(
    of connection: LogConnection, bell: LogPlace?, _ files: LogFiles
  ) throws(LogOpenError) -> Bookmark {
    let damage: LogReadError?
    let head: Bookmark
    do throws(SQLiteError) {
      head = try connection.bookmark(at: connection.head())
      let start = try connection.damageAtStart()
      damage = if let start { start } else if let bell { try connection.damage(against: bell) } else { nil }
    } catch { throw LogOpenError(error, files) }
    if let damage { throw .damaged(path: files.events, damage) }
    return head
  }

  // MARK: Writing

  public func submit(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion],
    then: @escaping @Sendable (Result<AppendOutcome, AppendError>) -> Void
  ) {
    guard let writer else { return then(.failure(.notWritten("the log was opened for reading only"))) }
    let sealed: [SealedDraft]
    do throws(AppendError) { sealed = try SealedDraft.seal(events, parts: parts) } catch {
      return then(.failure(error))
    }
    writer.submit(
      PendingCall(.append(sealed, expecting)) { result in
        then(
          result.map { answer in
            guard case .appended(let outcome) = answer else { preconditionFailure("an append was answered otherwise") }
            return outcome
          })
      })
  }

  public func erase(_ ids: [EventID]) throws(AppendError) -> [Position] {
    guard let writer else { throw .notWritten("the log was opened for reading only") }
    let answer = Answer<[Position]>()
    writer.submit(
      PendingCall(.erase(ids)) { result in
        answer.give(
          result.map { answer in
            guard case .erased(let positions) = answer else { preconditionFailure("an erasure was answered otherwise") }
            return positions
          })
      })
    return try answer.wait()
  }

  // MARK: Reading

  public func head() throws(LogReadError) -> Bookmark {
    try readers.read { connection, head throws(SQLiteError) in .success(try connection.bookmark(at: head)) }
  }

  public func read(after position: Position, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try readers.read { connection, _ throws(SQLiteError) in
      try connection.provenEvents(after: position, limit: limit)
    }
  }

  public func read(after bookmark: Bookmark, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try readers.read { connection, _ throws(SQLiteError) in
      if let objection = try connection.objection(to: bookmark) { return .failure(objection) }
      return try connection.provenEvents(after: bookmark.position, limit: limit)
    }
  }

  public func read(stream: StreamName, after version: Int64, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try readers.read { connection, _ throws(SQLiteError) in
      try connection.provenEvents(of: stream, after: version, limit: limit)
    }
  }

  public func read(id: EventID) throws(LogReadError) -> RecordedEvent? {
    try readers.read { connection, _ throws(SQLiteError) in
      try connection.provenEvent(id: id)
    }
  }

  public func header(digest: [UInt8]) throws(LogReadError) -> [UInt8]? {
    try readers.read { connection, _ throws(SQLiteError) in try connection.provenHeader(digest: digest) }
  }

  public func wakeups() -> any LogWakeups { BellWakeups(path: files.bell) }

  public func keyedDigest(_ fields: [[UInt8]]) -> String { EventHash.keyed(identity.secret, fields) }
}

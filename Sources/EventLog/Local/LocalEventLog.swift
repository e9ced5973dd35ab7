import SQLite
import Service

/// The log as one SQLite file, written by any number of processes of one machine in turn.
public final class LocalEventLog: EventLog {
  public enum Access: Sendable { case readOnly, readWrite }

  public let identity: LogIdentity
  private let files: LogFiles
  private let writer: LogWriter?
  private let readers: LogReaders

  /// Opens the log in a folder; with `readWrite` folder and log are made where they are absent.
  /// - Throws: `LogOpenError`; a bell that is ahead of the log, or disagrees with it, is damage and refused here.
  public init(folder: String, access: Access, parts: LogParts) throws(LogOpenError) {
    files = LogFiles(folder: folder)
    switch access {
    case .readOnly:
      // The bell first: what it remembers must be in any log read after it.
      let bell = Bell.reading(at: files.bell)
      let connection = try LogConnection(files, mode: .readOnly)
      try Self.refuseLostTail(connection, bell: bell, path: files.events)
      identity = connection.identity
      writer = nil
    case .readWrite:
      let files = files
      let gate: Gate
      let bell: Bell
      do throws(FileError) {
        try Files.makeFolder(folder, mode: 0o770)
        gate = try Gate(files)
        bell = try Bell(path: files.bell)
      } catch { throw .unreachable("\(error)") }
      let connection = try gate.pass { () -> Result<LogConnection, LogOpenError> in
        do throws(LogOpenError) {
          try LogCreation.createIfAbsent(files, parts: parts)
          let connection = try LogConnection(files, mode: .readWrite)
          try Self.refuseLostTail(connection, bell: Bell.reading(at: files.bell), path: files.events)
          return .success(connection)
        } catch { return .failure(error) }
      }.get()
      identity = connection.identity
      writer = LogWriter(LogCommitter(files, parts: parts, gate: gate, bell: bell, connection: connection))
    }
    readers = LogReaders(files, expected: identity.id)
  }

  /// Writes what waits and closes the files. Appending afterwards gives `AppendError.closed`.
  public func close() { writer?.close() }

  private static func refuseLostTail(
    _ connection: LogConnection, bell: Bell.Reading?, path: String
  ) throws(LogOpenError) {
    guard let bell else { return }
    let damage: LogReadError?
    do throws(SQLiteError) { damage = try connection.damage(against: bell) } catch { throw .unreachable("\(error)") }
    if let damage { throw .damaged(path: path, damage) }
  }

  // MARK: Writing

  public func submit(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion],
    then: @escaping @Sendable (Result<AppendOutcome, AppendError>) -> Void
  ) {
    guard let writer else { return then(.failure(.notWritten("the log was opened for reading only"))) }
    writer.submit(
      PendingCall(.append(events, expecting)) { result in
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
    try readers.read { connection throws(SQLiteError) in
      let (position, chain) = try connection.head()
      return .success(
        Bookmark(
          log: connection.identity.id, position: position, chain: chain,
          restored: try connection.newestRestore(through: position)))
    }
  }

  public func read(after position: Position, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try readers.read { connection throws(SQLiteError) in
      .success(
        try connection.events(where: "position > ? ORDER BY position", [.integer(position.value)], limit: limit))
    }
  }

  public func read(after bookmark: Bookmark, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try readers.read { connection throws(SQLiteError) in
      if let objection = try connection.objection(to: bookmark) { return .failure(objection) }
      return .success(
        try connection.events(
          where: "position > ? ORDER BY position", [.integer(bookmark.position.value)], limit: limit))
    }
  }

  public func read(stream: StreamName, after version: Int64, limit: Int) throws(LogReadError) -> [RecordedEvent] {
    try readers.read { connection throws(SQLiteError) in
      .success(
        try connection.events(
          where: "stream = ? AND version > ? ORDER BY version", [.text(stream.text), .integer(version)], limit: limit))
    }
  }

  public func read(id: EventID) throws(LogReadError) -> RecordedEvent? {
    try readers.read { connection throws(SQLiteError) in
      .success(try connection.events(where: "id = ?", [.text(id.text)], limit: 1).first)
    }
  }

  public func header(digest: [UInt8]) throws(LogReadError) -> [UInt8]? {
    try readers.read { connection throws(SQLiteError) in .success(try connection.header(digest: digest)) }
  }

  public func wakeups() -> any LogWakeups { BellWakeups(path: files.bell) }

  public func keyedDigest(_ fields: [[UInt8]]) -> String { EventHash.keyed(identity.secret, fields) }
}

extension LogConnection {
  /// nil where the log holds at least what the bell remembers.
  func damage(against bell: Bell.Reading) throws(SQLiteError) -> LogReadError? {
    let head = try head().position
    if bell.position > head { return .lost(from: head.next, through: bell.position) }
    return try chain(at: bell.position) == bell.chain ? nil : .altered(bell.position)
  }
}

import Cryptography
import SQLite
import Service

/// Proves that nothing in a local log was altered, removed or inserted; reads only.
public struct LogVerifier: Sendable {
  /// What was proved.
  public struct Proof: Sendable, Equatable {
    /// Whose log it is.
    public var log: LogIdentity.ID
    /// How many events were read for it.
    public var events: Int64
    /// Position of the newest event.
    public var head: Position
    /// Hash over the whole log; two logs with the same one hold the same.
    public var chain: [UInt8]
    /// Events whose data was erased: proved but for what they said.
    public var erased: PositionSet
    public var blanks: [Position] { Array(erased) }
  }

  /// The first place where the log is not what it must be.
  public struct Damage: Error, Equatable, Sendable, CustomStringConvertible {
    public var position: Position
    public var what: String

    public init(position: Position, what: String) {
      self.position = position
      self.what = what
    }

    public var description: String { "position \(position): \(what)" }
  }

  /// Where a verification begins.
  public enum Start: Sendable, Equatable {
    case beginning
    /// What stands up to there was proved before, and the chain was this: with what follows the whole log is proved,
    /// its indexes included, as far as it was not altered behind that proof's back.
    case place(LogPlace)
    /// Of what stands before only the indexes are compared, and its chain is taken as it stands: what follows is proved
    /// to be whole in itself.
    case position(Position)
  }

  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    case open(LogOpenError)
    case damage(Damage)
    /// It was told to stop; up to here every event is proved, and the indexes are not.
    case stopped(LogPlace)
    /// It was to begin after a position that the log has not come to.
    case beyond(Position, head: Position)
    /// The chain that was given as proved is not the one at its position.
    case otherChain(Position)

    public var description: String {
      switch self {
      case .open(let error): error.description
      case .damage(let damage): "the log is damaged at \(damage)\(Self.advice(after: damage.what))"
      case .beyond(let position, let head):
        "the log ends at position \(head), and position \(position) is beyond it: there is nothing to prove"
      case .otherChain(let position):
        "the chain given is not the one at position \(position): it was mistyped, or is of another log, or what stands up to "
          + "there was altered since; verify from the beginning tells"
      case .stopped(let place): "stopped; every event up to position \(place.position) is proved, the indexes are not"
      }
    }

    /// What to do, where the words do not say it themselves.
    private static func advice(after words: String) -> String {
      words.contains("stop all services") ? "" : "; stop all services, keep the folder as it is, and restore a backup"
    }
  }

  private let files: LogFiles
  /// Events of one stretch: long enough that its beginning costs nothing, short enough to stop soon.
  var stretch: Int64 = 10_000

  /// - Parameter folder: the data folder; nothing is opened yet.
  public init(folder: String) { files = LogFiles(folder: folder) }

  /// Reads the whole log and recomputes every digest and the chain.
  /// - Parameter progress: called now and then with the position up to which everything is proved.
  /// - Throws: the first damage, with its position; a tail that the bell remembers and the log lacks included.
  public func verify(progress: (Position) -> Void = { _ in }) throws(Failure) -> Proof {
    try verify(from: .beginning) { reached, _ in
      progress(reached)
      return true
    }
  }

  /// The same from anywhere, on several threads, each of which reads stretches of the log with a connection of its own.
  ///
  /// A stretch begins with the stored chain of the event before it, which the stretch before proves. Each is a
  /// transaction of its own, so that checkpoints go on beside them. At the end the scan of each index and the check of
  /// the file are one statement each: while one runs, checkpoints copy only what was committed before it began, and the
  /// write-ahead log grows. What was appended after the verification began is left for the next one.
  /// - Parameter proceed: called several times a second, from the caller's thread, with the position reached and the
  ///   last one; false stops.
  public func verify(
    from start: Start, threads: Int = 2, proceed: (_ reached: Position, _ head: Position) -> Bool
  ) throws(Failure) -> Proof {
    // The bell first: what it remembers must be in any log read after it.
    let bell = Bell.reading(at: files.bell)
    let connection: LogConnection
    do throws(LogOpenError) { connection = try LogConnection(files, mode: .readOnly) } catch { throw .open(error) }
    let begin: LogPlace
    let head: LogPlace
    let headers: VerifiedHeaders
    do throws(SQLiteError) {
      try connection.sqlite.execute("BEGIN")
      head = try connection.head()
      headers = try VerifiedHeaders(of: connection)
      begin = try Self.begin(start, in: connection)
      try connection.sqlite.execute("COMMIT")
    } catch { throw Self.failure(error, reached: .start, files) }
    switch start {
    case .beginning: break
    case .place(let place):
      guard begin.position == place.position else {
        throw .damage(Damage(position: begin.position.next, what: "events are missing from here on"))
      }
      guard begin.chain == place.chain else { throw .otherChain(place.position) }
    case .position(let position):
      if position <= head.position { break }
      // What the bell remembers may be there, and the log not.
      if let bell { try Self.compare(bell, with: head, connection, files) }
      throw .beyond(position, head: head.position)
    }
    let run = VerificationRun(
      files, stretch: stretch, identity: connection.identity, headers: headers, from: begin, through: head)
    let proved = try run.prove(threads: threads, proceed: proceed)
    if let bell { try Self.compare(bell, with: head, connection, files) }
    let objection: LogSchema.Objection?
    do throws(SQLiteError) { objection = try LogSchema.objection(to: connection.sqlite) } catch {
      throw Self.failure(error, reached: head.position, files)
    }
    if let objection {
      throw .damage(
        Damage(
          position: head.position, what: "up to here the events are whole, the schema is not: \(objection.description)")
      )
    }
    return Proof(
      log: connection.identity.id, events: proved.events, head: head.position, chain: head.chain, erased: proved.erased)
  }

  /// Events of one type in the streams whose names begin so, by the index of streams: what explains blanks is found
  /// without reading the whole log.
  public func forEachEvent(
    type: String, inStreamsFrom prefix: String, _ body: (RecordedEvent) -> Void
  ) throws(Failure) {
    let connection: LogConnection
    do throws(LogOpenError) { connection = try LogConnection(files, mode: .readOnly) } catch { throw .open(error) }
    // What begins with the prefix sorts before the prefix with the last of all characters behind it.
    try connection.sqlite.forEachRow(
      "SELECT \(LogSchema.columns) FROM events WHERE stream >= ? AND stream < ? || char(1114111) AND type = ?",
      [.text(prefix), .text(prefix), .text(type)], failure: { Self.failure($0, reached: .start, files) }
    ) { row throws(Failure) in
      body(LogConnection.event(row))
      return true
    }
  }

  private static func begin(_ start: Start, in connection: LogConnection) throws(SQLiteError) -> LogPlace {
    let position: Position
    switch start {
    case .beginning: position = .start
    case .place(let place): position = place.position
    case .position(let from): position = from
    }
    if let chain = try connection.chain(at: position) { return LogPlace(position: position, chain: chain) }
    return try connection.head()
  }

  private static func compare(
    _ bell: LogPlace, with head: LogPlace, _ connection: LogConnection, _ files: LogFiles
  ) throws(Failure) {
    if bell.position > head.position {
      let lost = LogReadError.lost(from: head.position.next, through: bell.position)
      throw .damage(Damage(position: head.position.next, what: lost.description))
    }
    let chain: [UInt8]?
    do throws(SQLiteError) { chain = try connection.chain(at: bell.position) } catch {
      throw failure(error, reached: head.position, files)
    }
    guard chain == bell.chain else {
      throw .damage(Damage(position: bell.position, what: LogReadError.otherThanBell(bell.position).description))
    }
  }

  static func failure(_ error: SQLiteError, reached: Position, _ files: LogFiles) -> Failure {
    LogReadError(damage: error) != nil
      ? .damage(Damage(position: reached.next, what: "the file cannot be read from here: \(error.message)"))
      : .open(.unreachable("\(LogFault(error, .look(at: files)))"))
  }
}

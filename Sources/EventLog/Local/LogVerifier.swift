import Cryptography
import SQLite

/// Proves that nothing in a local log was altered, removed or inserted; reads only.
public struct LogVerifier {
  /// What was proved.
  public struct Proof: Sendable, Equatable {
    public var log: LogIdentity.ID
    public var events: Int64
    public var head: Position
    /// Hash over the whole log; two logs with the same one hold the same.
    public var chain: [UInt8]
    /// Events whose data was erased: proved but for what they said.
    public var blanks: [Position]
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

  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    case open(LogOpenError)
    case damage(Damage)

    public var description: String {
      switch self {
      case .open(let error): error.description
      case .damage(let damage): "the log is damaged at \(damage)"
      }
    }
  }

  private let files: LogFiles
  public init(folder: String) { files = LogFiles(folder: folder) }

  /// Reads the whole log in one transaction and recomputes every digest and the chain.
  /// - Parameter progress: called after each 10,000 events with the position reached.
  /// - Throws: the first damage, with its position; a tail that the bell remembers and the log lacks included.
  public func verify(progress: (Position) -> Void = { _ in }) throws(Failure) -> Proof {
    let bell = Bell.reading(at: files.bell)
    let connection: LogConnection
    do throws(LogOpenError) { connection = try LogConnection(files, mode: .readOnly) } catch { throw .open(error) }
    var reached = Position.start
    let unreadable = { (error: SQLiteError) in
      error.isDamage
        ? Failure.damage(Damage(position: reached.next, what: "the file cannot be read from here: \(error.message)"))
        : .open(.unreachable("\(error)"))
    }
    return try connection.sqlite.transaction(immediate: false, failure: unreadable) { () throws(Failure) -> Proof in
      let headers: [[UInt8]: [UInt8]]
      do throws(SQLiteError) {
        headers = Dictionary(
          try connection.sqlite.rows("SELECT digest, bytes FROM headers") { ($0.bytes(0), $0.bytes(1)) },
          uniquingKeysWith: { first, _ in first })
      } catch { throw unreadable(error) }
      var proof = Proof(
        log: connection.identity.id, events: 0, head: .start, chain: connection.identity.genesis, blanks: [])
      var bellMatches = bell == nil
      try connection.sqlite.forEachRow(
        "SELECT \(LogSchema.columns) FROM events ORDER BY position", failure: unreadable
      ) { row throws(Failure) in
        let event = LogConnection.event(row)
        if let what = Self.objection(to: event, after: proof, headers: headers) {
          throw .damage(Damage(position: min(event.position, proof.head.next), what: what))
        }
        proof.events += 1
        proof.head = event.position
        reached = event.position
        proof.chain = event.chain
        if event.isErased { proof.blanks.append(event.position) }
        if event.position == bell?.position { bellMatches = event.chain == bell?.chain }
        if event.position.value % 10_000 == 0 { progress(event.position) }
        return true
      }
      if let bell, bell.position > proof.head {
        let lost = LogReadError.lost(from: proof.head.next, through: bell.position)
        throw .damage(Damage(position: proof.head.next, what: lost.description))
      }
      // The chain is read in order of positions; ids and versions are found through indexes, which must agree.
      let complaint: String?
      do throws(SQLiteError) {
        complaint = try connection.sqlite.row("PRAGMA integrity_check(1)") { $0.text(0) }
      } catch { throw unreadable(error) }
      if let complaint, complaint != "ok" {
        throw .damage(
          Damage(position: proof.head, what: "up to here the events are whole, the file is not: \(complaint)"))
      }
      guard bellMatches else {
        throw .damage(Damage(position: bell!.position, what: "the bell remembers another event here"))
      }
      return proof
    }
  }

  private static func objection(
    to event: RecordedEvent, after proof: Proof, headers: [[UInt8]: [UInt8]]
  ) -> String? {
    if event.position != proof.head.next {
      return "events are missing: after \(proof.head) comes \(event.position)"
    }
    if let data = event.data {
      guard let salt = event.salt else { return "the salt is missing while the data is there" }
      if EventHash.digest(salt: salt, data: data, seams: event.seams) != event.digest {
        return "data, seams or salt do not fit the digest"
      }
    } else if event.seams != nil || event.salt != nil {
      return "the data is missing while seams or salt are there"
    }
    if EventHash.chain(after: proof.chain, event) != event.chain { return "the chain does not fit what stands before" }
    if let bytes = event.seams {
      guard let seams = Seams(decoding: bytes) else { return "the seams cannot be read" }
      for digest in seams.headerDigests {
        guard let header = headers[digest] else { return "a header that the seams name is missing" }
        if SHA256.digest(of: header).bytes != digest { return "a header that the seams name was altered" }
      }
    }
    return nil
  }
}

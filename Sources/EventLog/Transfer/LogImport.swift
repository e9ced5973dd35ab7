import Cryptography
import SQLite
import Service

/// Makes a log of a lossless copy in a folder that has none: the same log, with the same id and secret, event for event.
///
/// Each digest and each link of the chain is checked as it comes. The log takes its place when the last line has said
/// that nothing is missing, and not before; a command that is killed leaves a folder without a log.
public struct LogImport {
  private let folder: String

  /// - Parameter folder: without a log; made where it is absent.
  public init(into folder: String) { self.folder = folder }

  /// - Parameter discard: removes what was made of the log that stood there, before this one takes its place.
  /// - Throws: `TransferError.line` with the number of the line where something is not as it must be, and
  ///   `TransferError.older` where the log that stood there went further than the copy.
  public func run(_ source: LineSource, discard: () -> Void = {}) throws(TransferError) -> LosslessEnd {
    let staging = try LogStaging(into: folder, isEmpty: true)
    defer { staging.discard() }
    let end = try Self.build(staging.files.events, from: source)
    try TransferError.file { () throws(FileError) in try Files.sync(staging.files.events) }
    // Taken as it is, an older copy would be sent from as if nothing had come after it.
    if let damage = try staging.damage() { throw .older(folder: folder, damage) }
    discard()
    try staging.moveLog()
    return end
  }

  private static func build(_ path: String, from source: LineSource) throws(TransferError) -> LosslessEnd {
    var lines = NumberedLines(source: source)
    guard case .log(let identity)? = try lines.next() else {
      throw .line(max(1, lines.number), "a lossless copy begins with the log's identity")
    }
    guard identity.format == LogSchema.format else {
      throw .newer("line \(lines.number): it is of format \(identity.format), this release writes \(LogSchema.format)")
    }
    guard identity.secret.count == 32 else { throw .line(lines.number, "the secret has not 32 bytes") }
    let file = try TransferError.sqlite { () throws(SQLiteError) in try LogBuilder(path: path, identity: identity) }
    var end = LosslessEnd(events: 0, headers: 0, head: .start, chain: identity.genesis)
    var headers: Set<[UInt8]> = []
    while true {
      switch try lines.next() {
      case .header(let number, let bytes)?:
        guard end.events == 0 else { throw .line(lines.number, "headers stand before the events") }
        let digest = SHA256.digest(of: bytes).bytes
        guard headers.insert(digest).inserted else { throw .line(lines.number, "this header came already") }
        try lines.write { () throws(SQLiteError) in try file.insert(header: number, bytes, digest: digest) }
        end.headers += 1
      case .event(let event)?:
        if let why = objection(to: event, after: end, headers) { throw .line(lines.number, why) }
        try lines.write { () throws(SQLiteError) in try file.insert(event) }
        end.events += 1
        end.head = event.position
        end.chain = event.chain
      case .end(let said)?:
        guard said == end else { throw .line(lines.number, "it tells another end than the lines before it") }
        guard try lines.isOver() else { throw .line(lines.number, "something follows the end") }
        try TransferError.sqlite { () throws(SQLiteError) in try file.finish() }
        return end
      case .log?: throw .line(lines.number, "a second identity")
      case nil: throw .line(lines.number + 1, "the copy is cut: its last line is missing")
      }
    }
  }

  private static func objection(
    to event: RecordedEvent, after end: LosslessEnd, _ headers: Set<[UInt8]>
  ) -> String? {
    if event.position != end.head.next { return "position \(event.position) follows \(end.head)" }
    if let data = event.data {
      guard let salt = event.salt else { return "the salt is missing while the data is there" }
      guard EventHash.digest(salt: salt, data: data, seams: event.seams) == event.digest else {
        return "data, seams or salt of position \(event.position) do not fit the digest"
      }
    } else if event.seams != nil || event.salt != nil {
      return "the data is missing while seams or salt are there"
    }
    guard EventHash.chain(after: end.chain, event) == event.chain else {
      return "the chain of position \(event.position) does not fit what stands before"
    }
    if let bytes = event.seams {
      guard let seams = Seams(decoding: bytes) else { return "the seams cannot be read" }
      if seams.headerDigests.contains(where: { !headers.contains($0) }) {
        return "a header that the seams name is missing"
      }
    }
    return nil
  }
}

import Cryptography
import SQLite

/// Reads that prove what they give. SQLite keeps no checksum of what stands in its file, so a page that the disk
/// altered is read without a word; digest and chain of the events tell.
///
/// What an index withholds cannot be missed here: `LogVerifier` compares the indexes with the events.
extension LogConnection {
  typealias Proven<Value> = Result<Value, LogReadError>

  /// Events after a position, each next to the one before it.
  func provenEvents(after start: Position, limit: Int) throws(SQLiteError) -> Proven<[RecordedEvent]> {
    let events = try events(where: "position > ? ORDER BY position", [.integer(start.value)], limit: limit)
    if events.isEmpty { return .success([]) }
    var place = start
    var chain = try chain(at: start)
    for event in events {
      guard event.position == place.next, let before = chain, event.isWhole(after: before) else {
        return .failure(.altered(place.next))
      }
      (place, chain) = (event.position, event.chain)
    }
    return .success(events)
  }

  /// Events of one stream after a version of it.
  func provenEvents(
    of stream: StreamName, after version: Int64, limit: Int
  ) throws(SQLiteError) -> Proven<[RecordedEvent]> {
    let events = try events(
      where: "stream = ? AND version > ? ORDER BY version", [.text(stream.text), .integer(version)], limit: limit)
    for (index, event) in events.enumerated() {
      guard event.stream == stream, event.version == version + Int64(index) + 1, try isWhole(event) else {
        return .failure(.altered(event.position))
      }
    }
    return .success(events)
  }

  func provenEvent(id: EventID) throws(SQLiteError) -> Proven<RecordedEvent?> {
    guard let event = try events(where: "id = ?", [.text(id.text)], limit: 1).first else { return .success(nil) }
    guard event.id == id, try isWhole(event) else { return .failure(.altered(event.position)) }
    return .success(event)
  }

  func provenHeader(digest: [UInt8]) throws(SQLiteError) -> Proven<[UInt8]?> {
    guard let bytes = try header(digest: digest) else { return .success(nil) }
    if SHA256.digest(of: bytes).bytes == digest { return .success(bytes) }
    return .failure(.unreadable("a header of signed tokens was altered: run refundlog log verify"))
  }

  /// The log's own row has no digest, but the first event was chained to it: with a secret that the disk altered
  /// everybody would get another pseudonym.
  func damageAtStart() throws(SQLiteError) -> LogReadError? {
    if case .failure(let damage) = try provenEvents(after: .start, limit: 1) { damage } else { nil }
  }

  func isWhole(_ event: RecordedEvent) throws(SQLiteError) -> Bool {
    guard event.position > .start, let before = try chain(at: Position(event.position.value - 1)) else { return false }
    return event.isWhole(after: before)
  }
}

extension RecordedEvent {
  /// Whether digest and chain are those of this event after one with that chain. About 5 µs for a notification.
  func isWhole(after before: [UInt8]) -> Bool {
    if let data {
      guard let salt, EventHash.digest(salt: salt, data: data, seams: seams) == digest else { return false }
    } else if seams != nil || salt != nil {
      return false
    }
    return EventHash.chain(after: before, self) == chain
  }
}

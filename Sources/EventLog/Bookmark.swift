/// How far a reader has come, with what it needs to notice that the log is no longer the one it read.
public struct Bookmark: Sendable, Equatable {
  public var log: LogIdentity.ID
  public var position: Position
  /// The chain at `position`.
  public var chain: [UInt8]
  /// Position of the newest LogRestored that was passed; `.start` where there was none.
  public var restored: Position

  public init(log: LogIdentity.ID, position: Position, chain: [UInt8], restored: Position) {
    self.log = log
    self.position = position
    self.chain = chain
    self.restored = restored
  }

  /// Before the first event of a log.
  public init(startOf identity: LogIdentity) {
    self.init(log: identity.id, position: .start, chain: identity.genesis, restored: .start)
  }

  /// After `event`, which must be the next one.
  public func passing(_ event: RecordedEvent) -> Bookmark {
    precondition(event.position == position.next, "a reader passes events one after the other")
    return Bookmark(
      log: log, position: event.position, chain: event.chain,
      restored: event.isLogRestored ? event.position : restored)
  }
}

extension RecordedEvent {
  /// Marks that the log was restored from a backup here; the one event whose name the log itself knows.
  var isLogRestored: Bool { stream.text == Self.logStream && type == Self.logRestored }
  static let logStream = "log"
  static let logRestored = "LogRestored"
}

/// Why the log was not read on. Readers stop and say so; none of these is served as if it were history.
public enum LogReadError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another log stands at this place now.
  case replaced(expected: String, found: String)
  /// The log was restored from a backup since the reader passed here: what it read after that is not in it.
  case restored(at: Position)
  /// The log ends before a place that was already read.
  case lost(from: Position, through: Position)
  /// It says something else at this place than was read there before, or than its digest and chain say was written.
  case altered(Position)
  /// The bell remembers another event at its position: one of the two was altered, and which one is not known.
  case otherThanBell(Position)
  /// The file is none of a log any more: SQLite finds its structure damaged, or its tables and guards are others.
  case malformed(String)
  /// The file could not be read.
  case unreadable(String)

  /// Whether the log itself is not what it was, so that only a backup helps.
  public var isDamage: Bool {
    switch self {
    case .lost, .altered, .otherThanBell, .malformed: true
    case .replaced, .restored, .unreadable: false
    }
  }

  public var description: String {
    switch self {
    case .replaced(let expected, let found):
      "another log is here now: \(found) instead of \(expected); start reading it from the beginning"
    case .restored(let position):
      "the log was restored from a backup (position \(position)); read again from the beginning"
    case .lost(let from, let through):
      (from == through
        ? "1 event is missing from the end of the log, position \(from)"
        : "\(through.value - from.value + 1) events are missing from the end of the log, positions \(from) to \(through)")
        + ": stop all services and restore a backup"
    case .altered(let position):
      "the log holds something else at position \(position) than was written there: "
        + "stop all services, run refundlog log verify and restore a backup"
    case .otherThanBell(let position):
      "the log holds another event at position \(position) than events.bell beside it remembers, so one of the two was "
        + "altered: stop all services, move events.bell away and run refundlog log verify; where it proves the log whole, "
        + "start without the bell, else restore a backup"
    case .malformed(let why):
      "the file is not what a log's file must be, \(why): stop all services, run refundlog log verify and restore a backup"
    case .unreadable(let why): "the log cannot be read: \(why)"
    }
  }
}

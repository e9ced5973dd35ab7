import EventLog
import SQLite
import Service

/// Why the projection does not follow the log.
enum ProjectionError: Error, CustomStringConvertible {
  case log(LogReadError)
  case store(SQLiteError)
  /// A state in it is not what was written: the file is damaged.
  case unreadable
  /// Its bookmark is not where this responder left it.
  case overtaken
  /// A new one is whole, and could not be put in its place.
  case notPublished(FileError)
  /// The file that was made, or the lock that keeps others from making one, was taken away meanwhile.
  case displaced
  /// A new one is not what it must be, and was thrown away.
  case unproved(String)

  /// The projection is not worth keeping: the log has everything.
  var isDamage: Bool {
    switch self {
    case .unreadable: true
    case .store(let error): error.isDamage || error.isForeign
    // What it tells is of a log that stands here no more.
    case .log(.replaced), .log(.restored): true
    case .log, .overtaken, .notPublished, .displaced, .unproved: false
    }
  }

  /// A half-made one is not worth going on with either.
  var isHopeless: Bool { if case .unproved = self { true } else { isDamage } }

  var description: String {
    switch self {
    case .log(let error): error.description
    case .unreadable: "the projection is damaged; it is made anew from the log"
    case .store(let error) where error.isFull:
      "the disk that holds \(error.path) is full: make room there; the projection that stands is as it was"
    case .store(let error): "the projection cannot be written: \(error)"
    case .overtaken: "somebody else writes the projection; it is opened anew"
    case .notPublished(let error): "the new projection cannot be put in its place: \(error)"
    case .displaced:
      "the new projection, or its lock, was removed while it was made; it is not put in place, make it again"
    case .unproved(let what): "the new projection was thrown away: \(what)"
    }
  }
}

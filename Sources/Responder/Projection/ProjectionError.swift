import EventLog
import SQLite

/// Why the projection does not follow the log.
enum ProjectionError: Error, CustomStringConvertible {
  case log(LogReadError)
  case store(SQLiteError)
  /// A state in it is not what was written: the file is damaged.
  case unreadable

  /// The projection is not worth keeping: the log has everything.
  var isDamage: Bool {
    switch self {
    case .unreadable: true
    case .store(let error): error.isDamage
    case .log: false
    }
  }

  var description: String {
    switch self {
    case .log(let error): error.description
    case .unreadable: "the projection is damaged; it is made anew from the log"
    case .store(let error): "the projection cannot be written: \(error)"
    }
  }
}

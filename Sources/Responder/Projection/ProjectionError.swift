import EventLog
import SQLite

/// Why the projection does not follow the log.
enum ProjectionError: Error, CustomStringConvertible {
  case log(LogReadError)
  case store(SQLiteError)

  var description: String {
    switch self {
    case .log(let error): error.description
    case .store(let error): "the projection cannot be written: \(error)"
    }
  }
}

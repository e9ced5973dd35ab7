/// Why a log was not opened. Nothing has been changed when this is thrown.
public enum LogOpenError: Error, Equatable, Sendable, CustomStringConvertible {
  case absent(path: String)
  case notALog(path: String)
  case newerFormat(path: String, found: Int64, supported: Int64)
  case unreachable(String)
  /// Its end is missing or its content was altered.
  case damaged(path: String, LogReadError)

  public var description: String {
    switch self {
    case .absent(let path): "there is no log at \(path): name the data folder the services use"
    case .notALog(let path):
      "\(path) holds no log: its -wal file is missing, or it is a database of another kind; name a folder of Refundlog "
        + "or an empty one"
    case .newerFormat(let path, let found, let supported):
      "\(path) has format \(found), this program reads up to \(supported): use the newer release that wrote it, "
        + "or restore a backup"
    case .unreachable(let why): "the log cannot be opened: \(why)"
    case .damaged(let path, let damage): "\(path) is damaged: \(damage)"
    }
  }
}

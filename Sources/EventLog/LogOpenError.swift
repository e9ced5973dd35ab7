/// Why a log was not opened. Nothing has been changed when this is thrown.
public enum LogOpenError: Error, Equatable, Sendable, CustomStringConvertible {
  case absent(path: String)
  /// No log is there, and something that stands only beside one.
  case gone(path: String, remains: String)
  case notALog(path: String)
  case newerFormat(path: String, found: Int64, supported: Int64)
  /// The library this process is linked with does not know what format 1 needs.
  case oldSQLite(found: Int, needed: Int)
  /// Another process has held the gate for so long that it cannot be at work.
  case gateHeld(path: String, seconds: Int64)
  case unreachable(String)
  /// Its end is missing or its content was altered.
  case damaged(path: String, LogReadError)

  /// Whether the log itself is not what it was, so that only a backup helps.
  public var isDamage: Bool {
    switch self {
    case .damaged, .gone: true
    case .absent, .notALog, .newerFormat, .oldSQLite, .gateHeld, .unreachable: false
    }
  }

  public var description: String {
    switch self {
    case .absent(let path): "there is no log at \(path): name the data folder the services use"
    case .gone(let path, let remains):
      "\(path) is missing, and \(remains) is there, so a log was: put the log's file back, or restore a backup; to begin a "
        + "new log, move all that is in the folder away"
    case .notALog(let path):
      "\(path) holds no log: its -wal file is missing, or it is a database of another kind; name a folder of Refundlog "
        + "or an empty one"
    case .newerFormat(let path, let found, let supported):
      "\(path) has format \(found), this program reads up to \(supported): use the newer release that wrote it, "
        + "or restore a backup"
    case .oldSQLite(let found, let needed):
      "this system's SQLite is \(Self.release(found)), the log needs \(Self.release(needed)) or later: install a newer "
        + "libsqlite3"
    case .gateHeld(let path, let seconds):
      "another process has held \(path) for over \(seconds) s: find it with fuser \(path), and end it or let it go on"
    case .unreachable(let why): "the log cannot be opened: \(why)"
    case .damaged(let path, let damage): "\(path) is damaged: \(damage)"
    }
  }

  /// 3040001 is 3.40.1.
  private static func release(_ number: Int) -> String {
    "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
  }
}

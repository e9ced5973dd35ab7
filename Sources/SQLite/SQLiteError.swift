/// What SQLite reported: its code, its words, and what was being done. Bound values are never part of it.
public struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Extended result code (https://www.sqlite.org/rescode.html).
  public var code: Int32
  public var message: String
  /// What was being done: «open», or the statement's text.
  public var doing: String
  public var path: String

  public init(code: Int32, message: String, doing: String, path: String) {
    self.code = code
    self.message = message
    self.doing = doing
    self.path = path
  }

  /// The code without its extension.
  public var primaryCode: Int32 { code & 0xFF }

  public var description: String { "\(path): \(message) (SQLite code \(code)) while doing: \(doing)" }

  /// SQLITE_CORRUPT: the bytes are not what they should be; and SQLITE_IOERR_SHORT_READ: some are not there.
  public var isDamage: Bool { primaryCode == 11 || code == 10 | 2 << 8 }
  /// SQLITE_NOTADB: a file of another kind.
  public var isForeign: Bool { primaryCode == 26 }
  /// SQLITE_FULL: no room on the disk.
  public var isFull: Bool { primaryCode == 13 }
  /// SQLITE_BUSY or SQLITE_LOCKED: another has the lock.
  public var isBusy: Bool { primaryCode == 5 || primaryCode == 6 }
  /// SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, or an access refused within SQLITE_IOERR: rights, or a disk that
  /// takes no writes.
  public var isRefusal: Bool { [3, 8, 14].contains(primaryCode) || code == 10 | 13 << 8 }
  /// SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC: what was written may be on disk, or not, and no later sync tells.
  public var isFailedSync: Bool { code == 10 | 4 << 8 || code == 10 | 5 << 8 }
  /// SQLITE_CONSTRAINT, a trigger's refusal included.
  public var isConstraint: Bool { primaryCode == 19 }
}

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

  /// SQLITE_CORRUPT: the bytes are not what they should be.
  public var isDamage: Bool { primaryCode == 11 }
  /// SQLITE_NOTADB: a file of another kind.
  public var isForeign: Bool { primaryCode == 26 }
  /// SQLITE_CONSTRAINT, a trigger's refusal included.
  public var isConstraint: Bool { primaryCode == 19 }
}

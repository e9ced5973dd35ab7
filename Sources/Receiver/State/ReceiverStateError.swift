/// Why the receiver's state could not be used. Nothing has been changed when this is thrown.
public enum ReceiverStateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no state yet: no receiver ran over this folder.
  case absent(path: String)
  case unreachable(path: String, reason: String)
  case newer(path: String, found: Int64, supported: Int64)
  case damaged(path: String, reason: String)

  /// The file is there and not what it should be.
  public var isDamage: Bool { if case .damaged = self { true } else { false } }

  public var description: String {
    switch self {
    case .absent(let path): "\(path) is not there: no receiver has run over this folder yet"
    case .unreachable(let path, let reason): "\(path) cannot be used: \(reason)"
    case .newer(let path, let found, let supported):
      "\(path) has version \(found), this program reads up to \(supported): use the newer release that wrote it"
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason); keep it as it is, and put the copy of a backup in its place"
    }
  }
}

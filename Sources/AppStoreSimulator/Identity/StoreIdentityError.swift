/// Why the data folder cannot be used. Files that are there are left as they are.
public enum StoreIdentityError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A file could not be read or written; `reason` names it.
  case file(reason: String)
  /// A file holds something else than it should.
  case damaged(path: String, reason: String)

  public var description: String {
    switch self {
    case .file(let reason): reason
    case .damaged(let path, let reason):
      "\(path) cannot be used: \(reason). Restore it, or name an empty folder and give the new root and key to the "
        + "services"
    }
  }
}

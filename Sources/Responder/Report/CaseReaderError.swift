public import EventLog

/// Why cases cannot be read.
public enum CaseReaderError: Error, Equatable, Sendable, CustomStringConvertible {
  case log(LogOpenError)
  case logUnreadable(LogReadError)
  /// No responder has made a projection in this folder.
  case absent(path: String)
  /// The folder holds projections of other releases only.
  case otherVersion(path: String, found: [String])
  /// The projection tells another log than the one beside it.
  case ofOtherLog(path: String)
  case unreadable(String)
  /// `after` is nothing that was given out as `next`.
  case cursorInvalid

  public var description: String {
    switch self {
    case .log(let error): error.description
    case .logUnreadable(let error): error.description
    case .absent(let path):
      "there are no cases at \(path): refundlog rebuild makes the file of this log, and so does refund-responder"
    case .otherVersion(let path, let found):
      "\(path) is absent and there is \(found.joined(separator: ", ")): start the refund-responder of this release, "
        + "which makes the file, or use the release that made the other one"
    case .ofOtherLog(let path):
      "\(path) tells another log than the one beside it: start refund-responder, which makes it anew"
    case .unreadable(let why): "the cases cannot be read: \(why)"
    case .cursorInvalid: "the place to go on from is not one that was given out as next"
    }
  }
}

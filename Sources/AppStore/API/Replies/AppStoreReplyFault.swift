/// Why the body of a success cannot be read. Holds nothing of what stands in it.
public enum AppStoreReplyFault: Error, Sendable, Hashable, CustomStringConvertible {
  case tooLarge(bytes: Int)
  case notJSON(line: Int, column: Int)
  case notObject
  /// A member that is missing, or is not what it must be.
  case member(String, wanted: String)
  case tooMany(String, max: Int)

  public var description: String {
    switch self {
    case .tooLarge(let bytes): "the body has \(bytes) bytes, more than a reply of Apple's"
    case .notJSON(let line, let column):
      "the body is no whole JSON text, see line \(line), column \(column): something in between may have cut or replaced it"
    case .notObject: "the body is not a JSON object"
    case .member(let name, let wanted): "the member \(name) is not \(wanted)"
    case .tooMany(let name, let max): "the member \(name) has more than \(max) elements"
    }
  }
}

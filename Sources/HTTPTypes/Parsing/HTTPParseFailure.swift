/// Why bytes are not a message we take. Nothing after such bytes can be trusted: the connection is to be closed.
public struct HTTPParseFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a server answers: 400, 413, 414, 417, 431, 501 or 505.
  public let status: Int
  /// A constant sentence without any received byte.
  public let reason: StaticReason

  /// The constant text; a type of its own so that no received text can get in.
  public struct StaticReason: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String
    public init(stringLiteral value: StaticString) { description = value.description }
  }

  init(_ status: Int = 400, _ reason: StaticReason) {
    self.status = status
    self.reason = reason
  }

  public var description: String { reason.description }
}

/// Place of an event in the log: 1, 2, 3 … without gaps. What a reader has passed is final.
public struct Position: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let value: Int64
  public init(_ value: Int64) { self.value = value }
  /// Before the first event.
  public static let start = Position(0)
  public var next: Position { Position(value + 1) }
  public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
  public var description: String { String(value) }
}

/// Name of a stream, for instance `purchase/Sandbox/2000000000000001`. It is inside the hash chain and never
/// erased, so no personal data stands in it.
public struct StreamName: Hashable, Sendable, CustomStringConvertible {
  public let text: String
  public init(_ text: String) { self.text = text }
  public var description: String { text }
}

/// Id of an event and its idempotency key, unique in the log for ever; never holds personal data either.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
  public let text: String
  public init(_ text: String) { self.text = text }
  public var description: String { text }
}

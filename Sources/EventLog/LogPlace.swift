/// A place in a log, with the chain there, which tells all that stands up to it.
public struct LogPlace: Sendable, Equatable {
  public var position: Position
  /// The chain at `position`.
  public var chain: [UInt8]

  public init(position: Position, chain: [UInt8]) {
    self.position = position
    self.chain = chain
  }
}

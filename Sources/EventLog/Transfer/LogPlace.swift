/// How far a log goes, and what it is there.
public struct LogPlace: Sendable, Equatable {
  public var log: LogIdentity.ID
  public var position: Position
  /// The chain at `position`.
  public var chain: [UInt8]

  public init(log: LogIdentity.ID, position: Position, chain: [UInt8]) {
    self.log = log
    self.position = position
    self.chain = chain
  }
}

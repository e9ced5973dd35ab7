/// What makes a log that log and no other: its one row of the table `log`.
public struct LogIdentity: Sendable, Equatable {
  public typealias ID = String

  /// A random UUID, lower case.
  public var id: ID
  /// 32 random bytes that key every pseudonym and every digest of a caller's key; never leaves the log.
  let secret: [UInt8]
  public var format: Int64
  /// Milliseconds since 1970, UTC.
  public var createdAt: Int64

  init(id: ID, secret: [UInt8], format: Int64, createdAt: Int64) {
    self.id = id
    self.secret = secret
    self.format = format
    self.createdAt = createdAt
  }

  /// The chain before position 1.
  public var genesis: [UInt8] { EventHash.genesis(of: self) }
}

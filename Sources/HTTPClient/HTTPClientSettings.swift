public import HTTPTypes

/// Everything a client can be told. Times are milliseconds of `MonotonicClock`, sizes are bytes.
public struct HTTPClientSettings: Hashable, Sendable {
  /// For the TCP connection, over all addresses of a name together. Looking up the name comes before it and follows the
  /// system's resolver settings, see `HTTPClient`.
  public var connectMilliseconds: Int64 = 5000
  /// For the TLS handshake.
  public var handshakeMilliseconds: Int64 = 5000
  /// For handing the whole request to the connection.
  public var writeMilliseconds: Int64 = 10_000
  /// From there to the first byte of the reply.
  public var firstByteMilliseconds: Int64 = 15_000
  /// From there (the end of writing) to the end of the reply.
  public var replyMilliseconds: Int64 = 30_000
  /// Bounds of a reply.
  public var limits = HTTPLimits()
  /// PEM file with the only authorities to trust; nil trusts the system's.
  public var authoritiesPath: String?
  /// A kept connection that was idle for longer is not used again.
  public var idleMilliseconds: Int64 = 30_000
  /// Kept connections; the one unused for longest gives way.
  public var keptConnectionsMax = 8

  public init() {}
}

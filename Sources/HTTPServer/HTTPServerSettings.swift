public import HTTPTypes

/// Everything a server can be told. Times are milliseconds of `MonotonicClock`, sizes are bytes.
public struct HTTPServerSettings: Sendable {
  /// Certificate chain and private key, both PEM; read once by `start`.
  public struct TLS: Hashable, Sendable {
    /// Leaf first, then its issuers.
    public var certificatePath: String
    public var keyPath: String

    public init(certificatePath: String, keyPath: String) {
      self.certificatePath = certificatePath
      self.keyPath = keyPath
    }
  }

  /// Numeric IPv4 or IPv6 address, as in `127.0.0.1`, `0.0.0.0`, `::1`, `::` (which takes IPv4 too, where the
  /// machine allows it).
  public var address = "127.0.0.1"
  /// 0 takes any free one; `start` tells which.
  public var port: UInt16 = 0
  /// Network threads, each with its own listener and connections.
  public var threads = 2
  /// Connections the kernel keeps for each thread until they are accepted.
  public var backlog = 512
  /// Connections in all, split evenly between the threads. A thread that has its share accepts no more until one
  /// closes; the rest wait in the backlog. Times `limits.bodyBytesMax` this bounds the memory for bodies.
  public var connectionsMax = 1024
  /// Bounds of a request: 414 or 431 for its head, 413 for its body.
  public var limits = HTTPLimits()
  /// From accepting to the end of the TLS handshake; then the connection is dropped.
  public var handshakeMilliseconds: Int64 = 10_000
  /// From the first byte of a head (on a new connection: from accepting) to its end; then 408.
  public var headMilliseconds: Int64 = 10_000
  /// From the end of the head to the end of the body; then 408.
  public var bodyMilliseconds: Int64 = 30_000
  /// Between a reply and the next request; then the connection is closed.
  public var idleMilliseconds: Int64 = 60_000
  /// For a client to take a whole reply; then the connection is dropped.
  public var writeMilliseconds: Int64 = 30_000
  /// After the last reply of a connection, for the client to stop sending; without it a reply to a request that was refused
  /// halfway would be lost.
  public var lingerMilliseconds: Int64 = 1000
  /// For requests in flight when the server is stopped; what is left then is dropped.
  public var stopMilliseconds: Int64 = 10_000
  /// Nil speaks plain HTTP.
  public var tls: TLS?

  public init() {}
}

/// Why there is no reply, and whether the server may have acted on the request all the same.
public enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No byte of the request has left: sending it again cannot double anything.
  case notSent(Failure)
  /// Some of it has left and no complete reply came: the server may or may not have acted.
  case unknown(Failure)

  /// What went wrong. Holds the origin and no more of the URL, no field and no body.
  public struct Failure: Hashable, Sendable {
    /// As in `https://example.com`.
    public var origin: String
    public var phase: Phase
    public var reason: String

    public init(origin: String, phase: Phase, reason: String) {
      self.origin = origin
      self.phase = phase
      self.reason = reason
    }
  }

  /// How far it came.
  public enum Phase: String, Hashable, Sendable {
    /// The request cannot be written: a name or value has characters that do not belong.
    case request
    /// The authorities to trust cannot be read.
    case trust
    case resolve, connect, handshake
    /// The peer is not who it should be.
    case verification
    case write
    /// Waiting for the reply to begin, then for its end.
    case firstByte, reply
  }

  public var failure: Failure {
    switch self {
    case .notSent(let failure), .unknown(let failure): failure
    }
  }

  public var description: String {
    let text = "\(failure.origin): \(failure.phase.rawValue): \(failure.reason)"
    return switch self {
    case .notSent: text + "; nothing was sent"
    case .unknown: text + "; whether the server acted is not known"
    }
  }
}

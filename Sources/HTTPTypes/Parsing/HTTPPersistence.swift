/// What becomes of the connection after a reply (RFC 9112 §9.3).
public enum HTTPPersistence: Hashable, Sendable {
  /// It is closed, and the reply says so.
  case close
  /// It stays open, which HTTP/1.1 takes for granted.
  case keep
  /// It stays open because an HTTP/1.0 client asked, and the reply has to say so.
  case keepAndSay
}

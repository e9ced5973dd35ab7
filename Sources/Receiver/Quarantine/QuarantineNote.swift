/// A note of a body that can never become good. Repetitions of the same body are counted on one
/// note.
public struct QuarantineNote: Sendable, Equatable {
  /// Its number in the state; 0 before it is kept.
  public var id: Int64 = 0
  /// SHA-256 of the whole body.
  public var digest: [UInt8]
  /// Milliseconds since 1970, UTC.
  public var firstReceivedAt: Int64
  public var lastReceivedAt: Int64
  public var deliveries: Int64 = 1
  /// Of the newest delivery; behind a reverse proxy it is the proxy's.
  public var remoteAddress: String
  /// The problem's stable code.
  public var code: String
  public var detail: String
  public var bodyBytes: Int64
  /// First bytes of the body, passwords blanked.
  public var excerpt: [UInt8]

  /// What the note counts for against the bound: its texts and what a row costs.
  var bytes: Int { excerpt.count + detail.utf8.count + code.utf8.count + remoteAddress.utf8.count + 256 }
}

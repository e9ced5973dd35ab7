import Cryptography

/// A genuine notification that waits for the settings, or the release, that fit it.
public struct ParkedNotification: Sendable, Equatable {
  /// Its number in the state, rising with arrival; 0 before it is kept.
  public var id: Int64 = 0
  public var bundleID: String?
  /// As Apple spells it.
  public var environment: String?
  public var appAppleID: Int64?
  /// Lower case; nil where it has none that is one.
  public var notificationUUID: String?
  public var type: String?
  public var reason: ParkingReason
  /// Expected against received, in words.
  public var detail: String
  /// Milliseconds since 1970, UTC. A refund request's time runs from here.
  public var firstReceivedAt: Int64
  public var lastReceivedAt: Int64
  public var deliveries: Int64 = 1
  /// The signed token exactly as it was received, ASCII.
  public var token: [UInt8]

  /// SHA-256 of the token.
  public var tokenDigest: [UInt8] { SHA256.digest(of: token).bytes }

  /// What makes it the same when it comes again: its UUID, which Apple keeps over repetitions.
  /// Whether the bytes stay the same is not documented, so they decide only where there is no UUID.
  /// Source: App Store Server Notifications, «notificationUUID».
  var identity: String {
    notificationUUID.map { "notification/\($0)" } ?? "token/\(SHA256.digest(of: token).hex)"
  }
}

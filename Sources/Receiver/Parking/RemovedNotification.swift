/// What a notification was that is not parked any more.
public struct RemovedNotification: Sendable, Equatable {
  /// Its number in the state.
  public var id: Int64
  public var bundleID: String?
  /// As Apple spells it.
  public var environment: String?
  public var type: String?
  public var notificationUUID: String?
  /// Milliseconds since 1970, UTC.
  public var firstReceivedAt: Int64
  public var deliveries: Int64
}

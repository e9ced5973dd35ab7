import AppStore

/// A test notification that was requested.
struct TestRecord: Equatable, Sendable {
  let token: String
  let notificationUUID: String
  let app: String
  let environment: ServerEnvironment
  /// Milliseconds since 1970 UTC.
  let requestedAt: Int64
  /// Not known to the call for its status before this instant of the machine's clock.
  let knownFrom: Int64
}

/// Why a genuine notification does not fit this receiver as it is set up.
public enum ParkingReason: String, Sendable, CaseIterable {
  /// No app in the settings has its bundle id.
  case bundleId
  /// The app's `appAppleId` in the settings is another one.
  case appAppleId
  /// The app is not set up for its environment.
  case environment
  /// A shape that this release does not know, such as a refund without a transaction.
  case shape
}

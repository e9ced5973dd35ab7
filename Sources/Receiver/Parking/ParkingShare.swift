/// Shares of the room for parked notifications; none can use up another's.
///
/// A stranger can have genuine notifications of apps of their own sent here. What costs nothing
/// (the sandbox, and TEST, which the API sends on request) is kept apart from Production, where an
/// app has to be on sale first.
enum ParkingShare: Hashable, Sendable {
  /// Bundles that stand in the settings: only app id, environment or shape is wrong.
  case configured
  /// Production notifications of other bundles: where a misspelt bundle id of our own ends up.
  case foreignProduction
  case foreignRest

  static func isProduction(environment: String?, type: String?) -> Bool {
    environment == "Production" && type != "TEST"
  }
}

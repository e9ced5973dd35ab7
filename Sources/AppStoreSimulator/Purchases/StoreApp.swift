import AppStore
import JSON

/// Which app of which environment a call is about.
struct StoreApp: Equatable, Sendable {
  static let members = ["bundleId", "appAppleId", "environment"]

  var bundleId: String
  /// The number App Store Connect calls «Apple ID».
  var appAppleId: Int64?
  var environment: ServerEnvironment

  /// Reads `bundleId`, `appAppleId` and `environment`; what is absent is as in the settings. Another app has a number only
  /// where the call gives one.
  init(_ call: CallMembers, or standard: StoreApp) throws(ControlError) {
    self = standard
    if let other = try call.text("bundleId"), other != bundleId { (bundleId, appAppleId) = (other, nil) }
    appAppleId = try call.integer("appAppleId", in: 1 ... .max) ?? appAppleId
    environment = try call.word("environment", ServerEnvironment.self) ?? environment
  }

  /// The one that the settings are about.
  init(_ settings: SimulatorSettings) {
    self.init(bundleId: settings.bundleId, appAppleId: settings.appAppleId, environment: settings.environment)
  }

  init(bundleId: String, appAppleId: Int64?, environment: ServerEnvironment) {
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.environment = environment
  }

  /// What every part of a notification says of them.
  var json: JSONObject {
    var object: JSONObject = ["bundleId": .string(bundleId), "environment": .string(environment.rawValue)]
    object["appAppleId"] = appAppleId.map { .number(JSONNumber($0)) }
    return object
  }
}

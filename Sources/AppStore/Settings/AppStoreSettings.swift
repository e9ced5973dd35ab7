public import Service

/// Where the App Store Server API is, and whom its address must be vouched for by.
public struct AppStoreSettings: Sendable {
  public var api: AppStoreServerAPI
  /// PEM file with the only authorities to trust; nil trusts the system's.
  public var authoritiesPath: String?

  public init(api: AppStoreServerAPI = AppStoreServerAPI(), authoritiesPath: String? = nil) {
    self.api = api
    self.authoritiesPath = authoritiesPath
  }

  /// Reads the object `appStore`.
  public init(_ reader: SettingsReader) {
    var api = AppStoreServerAPI()
    var authoritiesPath: String?
    reader.object("appStore") { reader in
      api.production = Self.address(reader, "production", .production)
      api.sandbox = Self.address(reader, "sandbox", .sandbox)
      authoritiesPath = reader.optionalText(
        "authorities", "PEM file with the only authorities to trust for these addresses; default: the system's")
    }
    self.api = api
    self.authoritiesPath = authoritiesPath
  }

  /// Both addresses, for whoever has to know whether all of them are this machine.
  public var addresses: [String] { [api.production.description, api.sandbox.description] }

  /// The address of each environment.
  public func addresses(of environments: [ServerEnvironment]) -> [ServerEnvironment: String] {
    environments.reduce(into: [:]) { $0[$1] = ($1 == .production ? api.production : api.sandbox).description }
  }

  private static func address(
    _ reader: SettingsReader, _ key: String, _ standard: AppStoreAddress
  ) -> AppStoreAddress {
    let older = key == "production" ? "api.storekit.itunes.apple.com" : "api.storekit-sandbox.itunes.apple.com"
    let text = reader.text(
      key, standard.description,
      "base URL of the App Store Server API, \(key); Apple still serves the older https://\(older)")
    do throws(AppStoreAddressError) { return try AppStoreAddress(text) } catch {
      reader.refuse(key, "is \(text.prefix(100)): \(error)")
      return standard
    }
  }
}

extension AppIdentity {
  /// Reads bundle id, app id and environments of one app; nil after a fault, which the reader keeps.
  public static func read(_ reader: SettingsReader) -> AppIdentity? {
    let bundleId = reader.text("bundleId", nil, "bundle id of the app, spelled as in App Store Connect")
    let appAppleId = reader.optionalInteger(
      "appAppleId", in: 1 ... .max, "the app's number in App Store Connect («Apple ID»); Production needs it")
    let names = reader.texts("environments", "Production, Sandbox, or both")
    var environments: Set<ServerEnvironment> = []
    for name in names {
      if let environment = ServerEnvironment(rawValue: name) {
        environments.insert(environment)
      } else {
        reader.refuse("environments", "holds \"\(name.prefix(40))\"; allowed are Production and Sandbox")
        return nil
      }
    }
    if bundleId.isEmpty { return nil }
    do throws(AppIdentityError) {
      return try AppIdentity(bundleId: bundleId, appAppleId: appAppleId, environments: environments)
    } catch {
      let key =
        switch error {
        case .bundleIdEmpty, .bundleIdMalformed: "bundleId"
        case .noEnvironment: "environments"
        case .appAppleIdMissing, .appAppleIdNotPositive: "appAppleId"
        }
      reader.refuse(key, "is refused: \(error)")
      return nil
    }
  }
}

/// One app that we answer for.
public struct AppIdentity: Sendable, Hashable {
  public let bundleId: String
  /// The number App Store Connect calls «Apple ID».
  public let appAppleId: Int64?
  public let environments: Set<ServerEnvironment>

  /// - Throws: when a part is missing; Production needs `appAppleId`.
  public init(
    bundleId: String, appAppleId: Int64?, environments: Set<ServerEnvironment>
  ) throws(AppIdentityError) {
    guard !bundleId.isEmpty else { throw .bundleIdEmpty }
    guard !environments.isEmpty else { throw .noEnvironment(bundleId: bundleId) }
    if let appAppleId, appAppleId <= 0 { throw .appAppleIdNotPositive(bundleId: bundleId, appAppleId) }
    guard appAppleId != nil || !environments.contains(.production) else {
      throw .appAppleIdMissing(bundleId: bundleId)
    }
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.environments = environments
  }
}

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
    guard bundleId.utf8.count <= 155, bundleId.utf8.allSatisfy(Self.isAllowed) else {
      throw .bundleIdMalformed(bundleId)
    }
    guard !environments.isEmpty else { throw .noEnvironment(bundleId: bundleId) }
    if let appAppleId, appAppleId <= 0 { throw .appAppleIdNotPositive(bundleId: bundleId, appAppleId) }
    guard appAppleId != nil || !environments.contains(.production) else {
      throw .appAppleIdMissing(bundleId: bundleId)
    }
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.environments = environments
  }

  /// Source: Bundle Resources, «CFBundleIdentifier»; the underscore is not in Apple's words and stands in old apps.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

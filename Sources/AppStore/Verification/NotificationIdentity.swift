import JSON

/// Which app and environment signed data says it is about.
public struct NotificationIdentity: Sendable, Hashable {
  public var bundleId: String?
  public var appAppleId: Int64?
  public var environment: Environment?

  public init(bundleId: String?, appAppleId: Int64? = nil, environment: Environment?) {
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.environment = environment
  }

  /// Judges a notification. The bundle id must be equal byte for byte, in Production the app id too, and the
  /// environment must be one of the app's. In the sandbox the app id is not looked at: Apple sends it there at
  /// times, its pages say it does not.
  public func judge(against apps: [AppIdentity]) -> IdentityVerdict {
    judge(against: apps, needsAppAppleId: true)
  }

  /// Judges a transaction or app transaction, which names no app id that counts.
  public func judgeWithoutAppAppleId(against apps: [AppIdentity]) -> IdentityVerdict {
    judge(against: apps, needsAppAppleId: false)
  }

  private func judge(against apps: [AppIdentity], needsAppAppleId: Bool) -> IdentityVerdict {
    // Swift's == on text calls equal what is canonically equivalent; ids are compared by their bytes.
    let named = apps.filter { app in bundleId.map { $0.utf8.elementsEqual(app.bundleId.utf8) } ?? false }
    guard !named.isEmpty else {
      let expected = apps.isEmpty ? "nothing" : Set(apps.map(\.bundleId)).sorted().joined(separator: ", ")
      return .notConfigured(.bundleId, expected: expected, received: bundleId)
    }
    var verdict: IdentityVerdict?
    for app in named {
      let found = judge(app, needsAppAppleId: needsAppAppleId)
      if case .accepted = found { return found }
      verdict = verdict ?? found
    }
    return verdict!
  }

  private func judge(_ app: AppIdentity, needsAppAppleId: Bool) -> IdentityVerdict {
    let server = environment.flatMap(ServerEnvironment.init)
    if needsAppAppleId, let expected = app.appAppleId {
      // Apple's order: an app of Production alone compares the app id before the environment.
      let counts = server == .production || app.environments == [.production] && appAppleId != nil
      if counts, appAppleId != expected {
        return .notConfigured(.appAppleId, expected: "\(expected)", received: appAppleId.map(String.init))
      }
    }
    guard let server, app.environments.contains(server) else {
      let expected = app.environments.map(\.rawValue).sorted().joined(separator: ", ")
      return .notConfigured(.environment, expected: expected, received: environment?.rawValue)
    }
    return .accepted(app)
  }
}

extension NotificationIdentity {
  /// Members of a payload that may tell whom a notification is about, in Apple's order.
  private static let known = ["data", "summary", "externalPurchaseToken", "appData", "unclaimInfo"]

  /// Everything the payload's objects say of app and environment, one entry per object that names a bundle id or an
  /// environment; objects that we do not know come last.
  static func told(by payload: JSONView) -> [NotificationIdentity] {
    let members = payload.members ?? []
    let order = known + members.map(\.key).filter { !known.contains($0) }
    return order.compactMap { name in
      guard let part = members.first(where: { $0.key == name })?.value, part.kind == .object else { return nil }
      let environment =
        name == "externalPurchaseToken"
        ? ExternalPurchaseToken(view: part).environment
        : part["environment"]?.string.map(Environment.init(rawValue:))
      let identity = NotificationIdentity(
        bundleId: part["bundleId"]?.string, appAppleId: part["appAppleId"]?.int64, environment: environment)
      return identity.bundleId == nil && identity.environment == nil ? nil : identity
    }
  }

  /// Whether two objects of one payload can both be right.
  func agrees(with other: NotificationIdentity) -> Bool {
    func agree<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
      left == nil || right == nil || left == right
    }
    return agree(bundleId, other.bundleId) && agree(appAppleId, other.appAppleId)
      && agree(environment, other.environment)
  }
}

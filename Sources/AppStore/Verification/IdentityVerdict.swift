/// Whether signed data belongs to an app that we are set up for.
public enum IdentityVerdict: Sendable, Equatable {
  case accepted(AppIdentity)
  /// The first member, in Apple's order, that no configured app matches; `received` is nil where it is absent.
  case notConfigured(Member, expected: String, received: String?)

  public enum Member: String, Sendable, CaseIterable { case bundleId, appAppleId, environment }

  /// The code of the refusal that this is for a receiver of one app; nil when accepted.
  public var code: VerificationRefusal.Code? {
    switch self {
    case .accepted: nil
    case .notConfigured(.bundleId, _, _): .bundleId
    case .notConfigured(.appAppleId, _, _): .appAppleId
    case .notConfigured(.environment, _, _): .environment
    }
  }
}

extension IdentityVerdict: CustomStringConvertible {
  public var description: String {
    switch self {
    case .accepted(let app): "for \(app.bundleId)"
    case .notConfigured(let member, let expected, let received):
      "\(member.rawValue) is \(received ?? "absent"), configured is \(expected)"
    }
  }
}

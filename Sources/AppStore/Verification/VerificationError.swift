/// How verification can fail.
public enum VerificationError: Error, Sendable, CustomStringConvertible {
  /// Can never become good.
  case refused(VerificationRefusal)
  /// Apple signed it, every token in it holds, and yet it cannot be worked with: to be kept and looked at.
  case genuineButUnusable(UnusableNotification)

  public var refusal: VerificationRefusal {
    switch self {
    case .refused(let refusal): refusal
    case .genuineButUnusable(let notification): notification.refusal
    }
  }

  public var code: VerificationRefusal.Code { refusal.code }

  public var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .genuineButUnusable(let notification): "genuine, but \(notification.refusal.description)"
    }
  }
}

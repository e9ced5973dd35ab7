import AppStore
import EventLog
import JSON

/// Everything that was found out about one body.
struct ExplainFindings {
  /// What was given, in words.
  var form: String
  /// nil where there was no token to verify.
  var explanation: VerificationExplanation?
  /// nil where the signed data names nobody, or no settings say who we are.
  var identity: IdentityComparison?
  /// What it says, proven or not; nil where it cannot be read.
  var content: NotificationContent?
  /// What the receiver would answer and do, as it is set up; nil where no settings were given.
  var fate: Fate?
  var place: Place

  /// What the receiver would do with the body.
  struct Fate {
    var status: Int
    /// Stable code of the problem; nil where it is 200.
    var code: String?
    var words: String
  }

  /// Whether the log has it.
  enum Place {
    case known(position: Position, receivedAt: Int64)
    case unknown
    /// Why nobody looked.
    case notLooked(String)
  }

  var isGenuine: Bool {
    switch explanation?.verdict {
    case .success, .failure(.genuineButUnusable): true
    case .failure(.refused), nil: false
    }
  }

  var isGenuineAndOurs: Bool {
    guard case .success = explanation?.verdict else { return false }
    return identity?.isOurs ?? false
  }

  /// The end of it, in a sentence.
  var conclusion: String {
    guard let explanation else { return "not proven: no signature came with it" }
    switch explanation.verdict {
    case .success:
      guard let identity else { return "genuine; whether it is yours is not known without settings" }
      return identity.isOurs ? "genuine, \(identity.words)" : "genuine, but not one of yours: \(identity.words)"
    case .failure(.genuineButUnusable(let unusable)):
      return "genuine, but it cannot be worked with: \(unusable.refusal.explanation)"
    case .failure(.refused(let refusal)): return "not genuine: \(refusal)"
    }
  }
}

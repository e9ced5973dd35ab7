import Contracts
import EventLog

/// The next thing to do about a case. One at a time: what it brings into the log is folded, then the case is
/// judged again.
enum Step: Equatable, Sendable {
  /// Nothing until something changes, or until that instant.
  case rest(Waiting?, until: Int64?)
  /// Claim one attempt, and call if the claim is won.
  case claim(Claim)
  /// A claim stayed without a result for too long.
  case settleUnknown(request: String, attempt: RefundRequest.Attempt)
  /// The end of a refund request without an answer.
  case withhold(ConsumptionWithheld)
  /// A decision of Apple that has no Outcome yet.
  case recordOutcome(Outcome, id: String, notification: String)

  struct Claim: Equatable, Sendable {
    var prepared: ConsumptionPrepared
    /// Versions of every stream the decision rests on.
    var expecting: [StreamName: ExpectedVersion]

    /// Of the refund request it is about.
    /// - Precondition: the claim was made for that case.
    func window(in state: CaseState) -> Window {
      Window(state.requests.first { $0.id == prepared.request }!, environment: state.environment)
    }
  }
}

/// What an open refund request waits for.
enum Waiting: Equatable, Sendable, CustomStringConvertible {
  case consent
  /// Consent anew, after a parent took theirs back.
  case parent
  /// Nobody knows whose purchase it is.
  case customer
  case facts([String])
  /// The backend says that it does not know the purchase.
  case purchaseKnown
  /// No policy was loaded for the app yet.
  case policy
  /// A person holds it; their name.
  case person(String)
  /// The app has no key in the settings; only the responder that would act can tell.
  case key
  /// Nothing is sent since the log was restored.
  case resumption
  /// The clock has jumped; only the responder that acts can tell.
  case clock
  /// Its answer is out, or is to be tried again.
  case appStore

  var description: String {
    switch self {
    case .consent: "consent of the customer"
    case .parent: "consent anew, as a parent took it back"
    case .customer: "word whose purchase it is"
    case .person(let name): "\(name), who holds it"
    case .key: "a key for the app"
    case .facts(let missing): "facts: \(missing.joined(separator: ", "))"
    case .purchaseKnown: "the backend to know the purchase"
    case .policy: "a policy for the app"
    case .resumption: "refundlog resume, as the log was restored"
    case .clock: "a reply of Apple's that tells the time, as this machine's clock has jumped"
    case .appStore: "the App Store"
    }
  }
}

public import Contracts
import Service

/// Why a person's act is not taken. Instants are milliseconds since 1970, UTC.
public enum ReviewRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The act names a refund request that is none of the case.
  case otherRequest
  /// Apple sent no refund request, only a decision.
  case noRequest
  case closed(at: Int64)
  case decided(Outcome.Kind, at: Int64)
  /// It was withheld for a reason that no person changes.
  case withheld
  /// A hold would have ended by itself before it began.
  case holdTooLate(end: Int64)
  /// A call is out, and its result is not known yet.
  case underway
  /// There is an answer, and the act is for a request that has none.
  case answered
  /// There is no answer, and the act is for a request that has one.
  case notAnswered
  /// Apple took as many further answers as one request has.
  case answeredOften(max: Int)

  public var description: String {
    switch self {
    case .otherRequest: "the refund request is none of this case"
    case .noRequest: "Apple sent no refund request for it, only a decision; there is nothing to answer"
    case .closed(let instant): "its window closed \(RFC3339.text(instant)); Apple takes no answer any more"
    case .decided(let kind, let instant): "Apple decided already: \(kind.rawValue) on \(RFC3339.text(instant))"
    case .withheld: "it ended without an answer, for a reason that nobody changes"
    case .holdTooLate(let end):
      "a hold must leave time to answer, and would have ended \(RFC3339.text(end)); answer it"
    case .underway: "an answer is on its way to Apple; look again in a minute"
    case .answered: "Apple has an answer already; answerAgain sends another"
    case .notAnswered: "Apple has no answer yet, so there is none to send again; use answerNow"
    case .answeredOften(let max): "Apple took \(max) further answers, and one request has no more"
    }
  }
}

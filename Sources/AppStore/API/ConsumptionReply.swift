public import HTTPTypes

/// What Apple's reply to Send Consumption Information means: by status first, then by number.
public struct ConsumptionReply: Sendable, Hashable {
  public enum Class: Sendable, Hashable {
    /// Any 2xx: Apple took it, which says nothing of the outcome.
    case accepted
    /// The same body will never be taken; `advice` tells what could be.
    case refused(Advice?)
    /// The token was not taken: once with a new one, then it is the key or the settings.
    case unauthorised
    /// Too many calls; `until` is an instant in milliseconds, nil where Apple named none.
    case limited(until: Int64?)
    /// Apple or something in between is out of order: the same again, later.
    case passing
    /// No reply came, so the body may have arrived; the same again, later, does no harm.
    case unknown
  }

  public enum Advice: Sendable, Hashable {
    /// The percentage may not be stated: send again without it.
    case leaveOutPercentage
    /// A transaction unknown to this host may exist on the other: check environment and app.
    case checkEnvironment
  }

  public let status: Int
  public let reply: Class
  public let errorCode: Int64?
  public let errorMessage: String?
  /// What happened and what to do, for whoever operates this.
  public let words: String

  /// For a call that got no reply; `status` is 0.
  public static let lost = ConsumptionReply(HTTPResponse(status: 0), now: 0)

  /// - Parameter now: when it came, milliseconds since 1970 UTC.
  public init(_ response: HTTPResponse, now: Int64) {
    status = response.status
    let failure = AppStoreFailure(response, now: now)
    errorCode = failure?.errorCode
    errorMessage = failure?.errorMessage
    words = failure?.description ?? "the App Store took it with \(response.status), which says nothing of the outcome"
    reply =
      switch failure?.kind {
      case nil: .accepted
      case .refused(.checkEnvironment): .refused(.checkEnvironment)
      case .fixAndSend(.leaveOutPercentage): .refused(.leaveOutPercentage)
      case .refused, .fixAndSend: .refused(nil)
      case .unauthorised: .unauthorised
      case .limited(let until): .limited(until: until)
      case .passing: .passing
      case .unknown: .unknown
      // No body of a success is looked at here.
      case .unreadable: .accepted
      }
  }
}

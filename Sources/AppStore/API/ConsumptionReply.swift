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

  /// For a call that got no reply; `status` is 0.
  public static let lost = ConsumptionReply(HTTPResponse(status: 0), now: 0)

  /// - Parameter now: when it came, milliseconds since 1970 UTC.
  public init(_ response: HTTPResponse, now: Int64) {
    status = response.status
    let error = AppStoreErrorBody((200..<300).contains(status) ? [] : response.body)
    errorCode = error.errorCode
    errorMessage = error.errorMessage
    switch status {
    case ..<100: reply = .unknown
    case 200..<300: reply = .accepted
    case 401: reply = .unauthorised
    case 429:
      reply = .limited(until: RetryAfter.instant(response.fields["Retry-After"], now: now))
    // Time-outs of a gateway; and what is neither a reply of Apple's nor final.
    case 408, 425, 100..<200, 300..<400: reply = .passing
    case 400..<500: reply = .refused(Self.advice(status, error.errorCode))
    default: reply = .passing
    }
  }

  private static func advice(_ status: Int, _ code: Int64?) -> Advice? {
    switch code {
    // ConsumptionPercentageAutoRenewableSubscriptionError; the number is not in Apple's pages, so it only adds advice.
    case 4_000_209: .leaveOutPercentage
    case 4_040_010: .checkEnvironment
    default: status == 404 ? .checkEnvironment : nil
    }
  }
}

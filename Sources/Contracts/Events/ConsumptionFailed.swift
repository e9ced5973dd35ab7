public import JSON

/// An attempt that Apple did not take.
///
/// Stream purchase/<environment>/<transactionId>, id failed/<environment>/<transactionId>/<n>, or unknown/… where
/// no reply came.
public struct ConsumptionFailed: SortedEventData {
  public static let type = EventType.consumptionFailed

  /// Id of the event that opened the refund request.
  public var request: String
  /// Id of the ConsumptionPrepared event whose attempt this was.
  public var claim: String
  /// Which kind of failure, and so whether the call is repeated.
  public var failure: Failure
  /// What happened and what comes next, in words for people.
  public var explanation: String
  /// HTTP status, where a reply came.
  public var status: Int64?
  /// Apple's errorCode, every digit kept. Open.
  public var errorCode: Int64?
  /// Not before this instant again. Milliseconds since 1970, UTC.
  public var retryAt: Int64?
  /// The first 2,048 bytes of Apple's reply body; empty where the body was empty.
  public var reply: [UInt8]?
  public var additional: JSONObject

  public init(
    request: String, claim: String, failure: Failure, explanation: String, status: Int64? = nil,
    errorCode: Int64? = nil, retryAt: Int64? = nil, reply: [UInt8]? = nil, additional: JSONObject = JSONObject()
  ) {
    self.request = request
    self.claim = claim
    self.failure = failure
    self.explanation = explanation
    self.status = status
    self.errorCode = errorCode
    self.retryAt = retryAt
    self.reply = reply
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    request = try members.required("request", .eventID)
    claim = try members.required("claim", .eventID)
    failure = try members.required("class", .oneOf)
    explanation = try members.required("explanation", .text)
    status = try members.optional("status", .integer(in: 100...599))
    errorCode = try members.optional("errorCode", .integer)
    retryAt = try members.optional("retryAt", .instant)
    reply = try members.optional("reply", .reply)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("request", request)
    members.put("claim", claim)
    members.put("class", failure)
    members.put("explanation", explanation)
    members.put("status", status)
    members.put("errorCode", errorCode)
    members.put("retryAt", retryAt)
    members.put("reply", base64: reply)
  }

  public enum Failure: String, Sendable, ClosedWord {
    /// The same body is never sent again.
    case refused
    /// Another body may be.
    case fixAndSend
    /// Again later.
    case passing
    /// Again at retryAt.
    case limit
    /// The key or its settings are wrong.
    case unauthorised
    /// The reply was lost, Apple may have it.
    case unknown
  }
}

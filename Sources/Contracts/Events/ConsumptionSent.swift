public import JSON

/// Apple took an answer.
///
/// Stream purchase/<environment>/<transactionId>, id sent/<environment>/<transactionId>/<n>. Says that Apple
/// received the data, not what Apple decided.
public struct ConsumptionSent: SortedEventData {
  public static let type = EventType.consumptionSent

  /// Id of the event that opened the refund request.
  public var request: String
  /// Id of the ConsumptionPrepared event whose attempt this was.
  public var claim: String
  /// HTTP status, 202 as Apple documents it.
  public var status: Int64
  /// When the first byte of the request left. Milliseconds since 1970, UTC.
  public var sentAt: Int64
  /// When the reply was complete. Milliseconds since 1970, UTC.
  public var repliedAt: Int64
  /// The first 2,048 bytes of Apple's reply body; empty where the body was empty.
  public var reply: [UInt8]
  public var additional: JSONObject

  public init(
    request: String, claim: String, status: Int64, sentAt: Int64, repliedAt: Int64, reply: [UInt8],
    additional: JSONObject = JSONObject()
  ) {
    self.request = request
    self.claim = claim
    self.status = status
    self.sentAt = sentAt
    self.repliedAt = repliedAt
    self.reply = reply
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    request = try members.required("request", .eventID)
    claim = try members.required("claim", .eventID)
    status = try members.required("status", .integer(in: 200...299))
    sentAt = try members.required("sentAt", .instant)
    repliedAt = try members.required("repliedAt", .instant)
    reply = try members.required("reply", .reply)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("request", request)
    members.put("claim", claim)
    members.put("status", status)
    members.put("sentAt", sentAt)
    members.put("repliedAt", repliedAt)
    members.put("reply", base64: reply)
  }
}

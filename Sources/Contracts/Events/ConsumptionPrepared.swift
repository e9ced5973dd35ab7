public import JSON

/// The claim of one attempt, with everything the answer rests on.
///
/// Stream purchase/<environment>/<transactionId>, id claim/<environment>/<transactionId>/<n>. Who gets it
/// appended may make one call, which starts before sendBy. No call happens without it.
public struct ConsumptionPrepared: SortedEventData {
  public static let type = EventType.consumptionPrepared

  /// Id of the event that opened the refund request.
  public var request: String
  /// Number of the attempt within the purchase, from 1; equal to <n> of the id.
  public var attempt: Int64
  /// Version of Apple's endpoint the body is made for: 2, or 1 for Advanced Commerce purchases. Open.
  public var endpointVersion: Int64
  /// The exact text of the request body. Personal data where it is made for version 1.
  public var body: String
  /// Name of the policy rule that decided.
  public var rule: String
  /// Digest of the policy text in force, as in PolicyLoaded.
  public var policy: String
  /// Id of the event that allows the sending: a ConsentRecorded or a ConsentBasisDeclared.
  public var basis: String
  /// For each member of the body, where its value comes from, in words for people; also what was left out and
  /// why.
  public var sources: [String: String]
  /// Random name of the process that claims, new at each start.
  public var claimant: String
  /// The call starts before this instant or not at all. Milliseconds since 1970, UTC.
  public var sendBy: Int64
  /// true: claimed after the request was due, but before it closed.
  public var late: Bool
  /// SHA-256 of what the call is made with besides the body: key id, issuer, public key, address. A refusal counts for
  /// this alone.
  public var caller: String?
  public var additional: JSONObject

  public init(
    request: String, attempt: Int64, endpointVersion: Int64, body: String, rule: String, policy: String,
    basis: String, sources: [String: String], claimant: String, sendBy: Int64, late: Bool,
    caller: String? = nil, additional: JSONObject = JSONObject()
  ) {
    self.request = request
    self.attempt = attempt
    self.endpointVersion = endpointVersion
    self.body = body
    self.rule = rule
    self.policy = policy
    self.basis = basis
    self.sources = sources
    self.claimant = claimant
    self.sendBy = sendBy
    self.late = late
    self.caller = caller
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    request = try members.required("request", .eventID)
    attempt = try members.required("attempt", .integer(in: 1 ... .max))
    endpointVersion = try members.required("endpointVersion", .integer(in: 1 ... .max))
    body = try members.required("body", .text)
    rule = try members.required("rule", .name)
    policy = try members.required("policy", .digest)
    basis = try members.required("basis", .eventID)
    sources = try members.required("sources", .textsByName)
    claimant = try members.required("claimant", .name)
    sendBy = try members.required("sendBy", .instant)
    late = try members.required("late", .flag)
    caller = try members.optional("caller", .digest)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("request", request)
    members.put("attempt", attempt)
    members.put("endpointVersion", endpointVersion)
    members.put("body", body)
    members.put("rule", rule)
    members.put("policy", policy)
    members.put("basis", basis)
    members.put("sources", sources)
    members.put("claimant", claimant)
    members.put("sendBy", sendBy)
    members.put("late", late)
    members.put("caller", caller)
  }
}

public import JSON

extension CasePage {
  /// One call to the App Store, with its exact bytes.
  public struct Attempt: Sendable, Equatable, MemberValue {
    /// From 1, counted within the purchase.
    public var number: Int64
    /// Id of the claim.
    public var claim: String
    public var position: Int64
    public var sendBy: Int64
    public var state: State
    /// What was claimed; nil where it was erased.
    public var said: Said?
    /// HTTP status, where a reply came.
    public var status: Int64?
    /// Apple's error code.
    public var errorCode: Int64?
    /// What went wrong and what follows from it.
    public var explanation: String?
    public var retryAt: Int64?
    /// When Apple's reply came.
    public var repliedAt: Int64?

    public init(
      number: Int64, claim: String, position: Int64, sendBy: Int64, state: State, said: Said? = nil,
      status: Int64? = nil, errorCode: Int64? = nil, explanation: String? = nil, retryAt: Int64? = nil,
      repliedAt: Int64? = nil
    ) {
      self.number = number
      self.claim = claim
      self.position = position
      self.sendBy = sendBy
      self.state = state
      self.said = said
      self.status = status
      self.errorCode = errorCode
      self.explanation = explanation
      self.retryAt = retryAt
      self.repliedAt = repliedAt
    }

    public enum State: String, Sendable, ClosedWord {
      case underway
      case accepted
      /// For good, or until settings change.
      case refused
      case failed
      /// The reply never came; Apple may have it.
      case unknown
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("number", number)
      writer.put("claim", claim)
      writer.put("position", String(position))
      writer.put("sendBy", sendBy)
      writer.put("state", state)
      writer.put("said", said)
      writer.put("status", status)
      writer.put("errorCode", errorCode)
      writer.put("explanation", explanation)
      writer.put("retryAt", retryAt)
      writer.put("repliedAt", repliedAt)
      return .object(writer.members)
    }
  }

  /// What an attempt said to Apple, and what that rested on.
  public struct Said: Sendable, Equatable, MemberValue {
    /// The exact text of the body.
    public var body: String
    public var endpointVersion: Int64
    public var rule: String
    /// Digest of the policy text.
    public var policy: String
    /// Id of the event that allowed it.
    public var basis: String
    /// Member of the body → where its value comes from, in words.
    public var sources: [String: String]
    public var late: Bool

    public init(_ claim: ConsumptionPrepared) {
      body = claim.body
      endpointVersion = claim.endpointVersion
      rule = claim.rule
      policy = claim.policy
      basis = claim.basis
      sources = claim.sources
      late = claim.late
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("body", body)
      writer.put("endpointVersion", endpointVersion)
      writer.put("rule", rule)
      writer.put("policy", policy)
      writer.put("basis", basis)
      writer.put("sources", JSONObject(sorted: sources))
      writer.put("late", late)
      return .object(writer.members)
    }
  }
}

extension JSONObject {
  /// The same text each time it is written.
  init(sorted texts: [String: String]) {
    self.init()
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) { self[name] = .string(text) }
  }
}

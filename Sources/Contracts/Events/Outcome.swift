public import JSON

/// What Apple decided.
///
/// Stream purchase/<environment>/<transactionId>. Exactly one per decision, whether announced, found in refund
/// history, or both; any may follow any other, and all are kept.
public struct Outcome: SortedEventData {
  public static let type = EventType.outcome

  /// Which way it went; a refund brings its extent.
  public var decision: Decision
  /// `signedDate` of the notification, or the revocation date where it was found in refund history.
  /// Milliseconds since 1970, UTC.
  public var decidedAt: Int64
  /// Where it was learnt first.
  public var source: Source
  /// Claims of the answers that stood then: what had been said before.
  public var answers: [String]
  /// Apple's revocationPercentage, thousandths of a percent, where it was given.
  public var percentage: Int64?
  /// Apple's revocationDate, where it was given. Milliseconds since 1970, UTC.
  public var revocationDate: Int64?
  /// Id of the refund request it answers, where there was one. A refund without one was given without asking us: by the
  /// App Store's own support, for an upgrade, or on the web.
  public var request: String?
  /// How many seats of a multi-seat purchase Apple has taken back in all, where it was given.
  public var revokedSeats: Int64?
  /// Apple's quantity of the purchase, where it was given; a percentage covers all of it.
  public var quantity: Int64?
  /// True where Apple marks the refunded purchase as upgraded: the rest of its period went back for that.
  public var upgraded: Bool?
  public var additional: JSONObject

  public var kind: Kind { decision.kind }

  public init(
    decision: Decision, decidedAt: Int64, source: Source, answers: [String], percentage: Int64? = nil,
    revocationDate: Int64? = nil, request: String? = nil, revokedSeats: Int64? = nil, quantity: Int64? = nil,
    upgraded: Bool? = nil, additional: JSONObject = JSONObject()
  ) {
    self.decision = decision
    self.decidedAt = decidedAt
    self.source = source
    self.answers = answers
    self.percentage = percentage
    self.revocationDate = revocationDate
    self.request = request
    self.revokedSeats = revokedSeats
    self.quantity = quantity
    self.upgraded = upgraded
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    let kind = try members.required("kind", Shape<Kind>.oneOf)
    switch kind {
    case .refunded: decision = .refunded(try members.required("extent", .oneOf))
    case .declined: decision = .declined
    case .reversed: decision = .reversed
    }
    if kind != .refunded, members.rest["extent"] != nil {
      throw members.error("extent", found: "one beside \(kind.rawValue)", allowed: "one with refunded only")
    }
    decidedAt = try members.required("decidedAt", .instant)
    source = try members.required("source", .oneOf)
    answers = try members.required("answers", .list(of: .eventID))
    percentage = try members.optional("percentage", .integer(in: 0...100_000))
    revocationDate = try members.optional("revocationDate", .instant)
    request = try members.optional("request", .eventID)
    revokedSeats = try members.optional("revokedSeats", .integer(in: 0 ... .max))
    quantity = try members.optional("quantity", .integer(in: 0 ... .max))
    upgraded = try members.optional("upgraded", .flag)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("kind", kind)
    if case .refunded(let extent) = decision { members.put("extent", extent) }
    members.put("decidedAt", decidedAt)
    members.put("source", source)
    members.put("answers", answers)
    members.put("percentage", percentage)
    members.put("revocationDate", revocationDate)
    members.put("request", request)
    members.put("revokedSeats", revokedSeats)
    members.put("quantity", quantity)
    members.put("upgraded", upgraded)
  }

  public enum Decision: Sendable, Hashable {
    /// Money went back.
    case refunded(Extent)
    /// Apple refused the customer.
    case declined
    /// An earlier refund was undone.
    case reversed

    public var kind: Kind {
      switch self {
      case .refunded: .refunded
      case .declined: .declined
      case .reversed: .reversed
      }
    }
  }

  public enum Kind: String, Sendable, ClosedWord {
    case refunded
    case declined
    case reversed
  }

  public enum Extent: String, Sendable, ClosedWord {
    case full
    case prorated
    /// Some seats of a multi-seat purchase.
    case seats
    /// Apple did not say.
    case unknown
  }

  public enum Source: String, Sendable, ClosedWord {
    case notification
    case refundHistory
  }
}

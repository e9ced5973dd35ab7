public import JSON

/// Everything about one case. Instants are milliseconds since 1970, UTC.
public struct CasePage: Sendable, Equatable {
  public var summary: CaseSummary
  /// nil where no notification carried the transaction.
  public var purchase: Purchase?
  /// By the instant Apple signed them.
  public var requests: [Request]
  /// Apple's decisions in the order in which they came.
  public var outcomes: [Decision]
  /// The newest changes of renewal, by the instant Apple signed them.
  public var renewals: [RenewalChange]
  /// How often the customer switched renewal off; without those that were probably the App Store's.
  public var cancellations: Int
  /// What is known of the purchase now, member by member.
  public var evidence: [Evidence]
  /// Whether the customer's data may be told to Apple now.
  public var consent: Consent
  /// What happened to the purchase and to its customer's consent, oldest first.
  public var timeline: [Happening]
  /// The timeline holds the newest `timelineMax` events only.
  public var isTimelineCut: Bool
  public var stuck: Stuck?
  /// Since when nothing is sent, as the log was restored and nobody resumed sending; nil where sending goes on.
  public var sendingPausedSince: Int64?
  /// Position in the log up to which the case is told.
  public var through: Int64

  public static let timelineMax = 1_000

  public init(
    summary: CaseSummary, purchase: Purchase?, requests: [Request], outcomes: [Decision],
    renewals: [RenewalChange] = [], cancellations: Int = 0, evidence: [Evidence],
    consent: Consent, timeline: [Happening], isTimelineCut: Bool = false, stuck: Stuck? = nil,
    sendingPausedSince: Int64? = nil,
    through: Int64
  ) {
    self.summary = summary
    self.purchase = purchase
    self.requests = requests
    self.outcomes = outcomes
    self.renewals = renewals
    self.cancellations = cancellations
    self.evidence = evidence
    self.consent = consent
    self.timeline = timeline
    self.isTimelineCut = isTimelineCut
    self.stuck = stuck
    self.sendingPausedSince = sendingPausedSince
    self.through = through
  }

  public var json: JSONValue {
    var writer = MemberWriter(additional: JSONObject())
    writer.put("summary", summary)
    writer.put("purchase", purchase)
    writer.put("requests", requests)
    writer.put("outcomes", outcomes)
    writer.put("renewals", renewals)
    writer.put("cancellations", Int64(cancellations))
    writer.put("evidence", evidence)
    writer.put("consent", consent)
    writer.put("timeline", timeline)
    writer.put("timelineCut", isTimelineCut)
    writer.put("stuck", stuck)
    writer.put("sendingPausedSince", sendingPausedSince)
    writer.put("through", String(through))
    return .object(writer.members)
  }
}

public import JSON

/// One case in a line. Instants are milliseconds since 1970, UTC.
public struct CaseSummary: Sendable, Equatable, MemberValue {
  public var purchase: PurchaseKey
  public var app: String?
  /// Pseudonym.
  public var customer: String?
  public var productID: String?
  public var originalTransactionID: String?
  public var phase: CasePhase
  /// What the request that ends first waits for, in words; nil where it waits for nothing.
  public var waitsFor: String?
  /// When it stops waiting by itself.
  public var waitsUntil: Int64?
  /// When the first open refund request is due; nil where none is open.
  public var due: Int64?
  /// When the first open refund request is past its window, and nothing is sent any more; nil where none is open.
  public var closed: Int64?
  /// How many refund requests Apple sent.
  public var requests: Int
  /// Why the newest refund request was withheld, where it was.
  public var withheld: ConsumptionWithheld.Reason?
  /// What Apple decided last.
  public var outcome: Outcome.Kind?
  public var extent: Outcome.Extent?
  /// Apple refunded it last, and no refund request came before.
  public var isWithoutRequest: Bool
  /// Of a refund: Apple marks the purchase as upgraded.
  public var isUpgraded: Bool
  /// When Apple signed the newest request or decision.
  public var newest: Int64
  /// An event of the purchase could not be read, and the case is told only up to there.
  public var isStuck: Bool

  public init(
    purchase: PurchaseKey, app: String? = nil, customer: String? = nil, productID: String? = nil,
    originalTransactionID: String? = nil, phase: CasePhase, waitsFor: String? = nil, waitsUntil: Int64? = nil,
    due: Int64? = nil, closed: Int64? = nil, requests: Int, withheld: ConsumptionWithheld.Reason? = nil,
    outcome: Outcome.Kind? = nil,
    extent: Outcome.Extent? = nil, isWithoutRequest: Bool = false, isUpgraded: Bool = false, newest: Int64,
    isStuck: Bool = false
  ) {
    self.purchase = purchase
    self.app = app
    self.customer = customer
    self.productID = productID
    self.originalTransactionID = originalTransactionID
    self.phase = phase
    self.waitsFor = waitsFor
    self.waitsUntil = waitsUntil
    self.due = due
    self.closed = closed
    self.requests = requests
    self.withheld = withheld
    self.outcome = outcome
    self.extent = extent
    self.isWithoutRequest = isWithoutRequest
    self.isUpgraded = isUpgraded
    self.newest = newest
    self.isStuck = isStuck
  }

  public var json: JSONValue {
    var writer = MemberWriter(additional: JSONObject())
    writer.put(purchase)
    writer.put("app", app)
    writer.put("customer", customer)
    writer.put("productId", productID)
    writer.put("originalTransactionId", originalTransactionID)
    writer.put("state", phase)
    writer.put("waitsFor", waitsFor)
    writer.put("waitsUntil", waitsUntil)
    writer.put("due", due)
    writer.put("closed", closed)
    writer.put("requests", Int64(requests))
    writer.put("withheld", withheld)
    writer.put("outcome", outcome)
    writer.put("extent", extent)
    writer.put("withoutRequest", isWithoutRequest ? true : nil)
    writer.put("upgraded", isUpgraded ? true : nil)
    writer.put("newest", newest)
    writer.put("stuck", isStuck)
    return .object(writer.members)
  }
}

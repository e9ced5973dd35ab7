/// What to look for among the cases. A case is found when everything that is given fits.
///
/// Apple's notifications carry no order id, so there is none here either.
public struct CaseQuery: Sendable, Equatable {
  /// How many cases one page may hold.
  public static let limits = 1...200
  public static let limitDefault = 50

  public var transactionID: String?
  /// Finds the renewals of a purchase, and the purchase itself.
  public var originalTransactionID: String?
  /// Pseudonym of the customer, 64 hex digits: the column `customer` of the log.
  public var customer: String?
  /// Bundle ids; nil finds the cases of all apps.
  public var apps: Set<String>?
  public var environment: String?
  public var phase: CasePhase?
  /// What Apple decided last.
  public var outcome: Outcome.Kind?
  /// Cases with a refund request that is due before this instant, milliseconds since 1970, UTC.
  public var dueBefore: Int64?
  /// Cases on one page, within `limits`.
  public var limit: Int
  /// `next` of the page before; opaque.
  public var after: String?

  public init(
    transactionID: String? = nil, originalTransactionID: String? = nil, customer: String? = nil,
    apps: Set<String>? = nil, environment: String? = nil, phase: CasePhase? = nil, outcome: Outcome.Kind? = nil,
    dueBefore: Int64? = nil, limit: Int = limitDefault, after: String? = nil
  ) {
    self.transactionID = transactionID
    self.originalTransactionID = originalTransactionID
    self.customer = customer
    self.apps = apps
    self.environment = environment
    self.phase = phase
    self.outcome = outcome
    self.dueBefore = dueBefore
    self.limit = limit
    self.after = after
  }
}

import AppStore
import Contracts
import JSON

/// A decision of Apple as it was announced, or as it was found in refund history.
struct CaseOutcome: Codable, Equatable, Sendable {
  /// Id of the event that tells it: the notification's, or our Outcome's where nothing announced it.
  var notification: String
  /// Of the notification; empty where nothing announced it.
  var uuid: String
  var kind: Kind
  var extent: String?
  var percentage: Int64?
  var revocationDate: Int64?
  var signedAt: Int64
  /// How many seats Apple has taken back in all.
  var revokedSeats: Int64?
  /// Apple's quantity of the purchase.
  var quantity: Int64?
  /// true where Apple marks the refunded purchase as upgraded.
  var isUpgraded: Bool?
  /// Position of the event, so that it can be told which claims stood before it.
  var position: Int64

  enum Kind: String, Codable, Sendable {
    case refunded, declined, reversed

    /// At one instant a refund beats a decline, and a reversal the refund that it undoes.
    fileprivate var weight: Int {
      switch self {
      case .declined: 0
      case .refunded: 1
      case .reversed: 2
      }
    }
  }

  init?(_ notification: NotificationReceived, event: String, position: Int64) {
    switch NotificationType(rawValue: notification.notificationType) {
    case .refund: kind = .refunded
    case .refundDeclined: kind = .declined
    case .refundReversed: kind = .reversed
    default: return nil
    }
    self.notification = event
    self.position = position
    uuid = notification.notificationUUID
    signedAt = notification.signedDate
    guard kind == .refunded else { return }
    let transaction = notification.notification["data"]?["signedTransactionInfo"].map(JWSTransactionDecodedPayload.init)
    revocationDate = transaction?.revocationDate
    // An Outcome holds no other share; what Apple wrote stays in the notification.
    percentage = transaction?.revocationPercentage.flatMap { (0...100_000).contains($0) ? $0 : nil }
    extent = Self.extent(subtype: notification.subtype, transaction?.revocationType).rawValue
    revokedSeats = transaction?.multiSeatInfo?.revokedSeatQuantity.flatMap { $0 >= 0 ? $0 : nil }
    quantity = transaction?.quantity.flatMap { $0 >= 0 ? $0 : nil }
    isUpgraded = transaction?.isUpgraded == true ? true : nil
  }

  /// A refund that was found in refund history, by the Outcome that was written of it; nil for an Outcome of what a
  /// notification announced, which tells nothing new.
  init?(_ found: Outcome, event: String, position: Int64) {
    guard found.source == .refundHistory, case .refunded(let extent) = found.decision, found.revocationDate != nil
    else { return nil }
    notification = event
    self.position = position
    uuid = ""
    kind = .refunded
    self.extent = extent.rawValue
    percentage = found.percentage
    revokedSeats = found.revokedSeats
    quantity = found.quantity
    isUpgraded = found.upgraded == true ? true : nil
    revocationDate = found.revocationDate
    signedAt = found.decidedAt
  }

  private static func extent(subtype: String?, _ type: RevocationType?) -> Outcome.Extent {
    if subtype == Subtype.seats.rawValue { return .seats }
    switch type {
    case .refundFull: return .full
    case .refundProrated: return .prorated
    default: return .unknown
    }
  }

  /// Id of our Outcome of it: the same decision announced twice, or found in refund history too, is one.
  func outcomeID(of purchase: PurchaseKey) -> String {
    EventIDs.outcome(
      purchase, kind: Outcome.Kind(rawValue: kind.rawValue)!, revocationDate: revocationDate, notificationUUID: uuid)
  }

  /// Of two decisions the one signed later counts, in whatever order they came. What is left to tell two of one instant
  /// and one kind apart says nothing, but says the same every time.
  func isNewer(than other: CaseOutcome) -> Bool {
    (signedAt, kind.weight, revocationDate ?? .min, uuid)
      > (other.signedAt, other.kind.weight, other.revocationDate ?? .min, other.uuid)
  }
}

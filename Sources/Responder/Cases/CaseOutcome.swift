import AppStore
import Contracts
import JSON

/// A decision of Apple as it was announced, and whether our Outcome of it is in the log.
struct CaseOutcome: Codable, Equatable, Sendable {
  /// Id of the notification's event.
  var notification: String
  var uuid: String
  var kind: Kind
  var extent: String?
  var percentage: Int64?
  var revocationDate: Int64?
  var signedAt: Int64
  /// Position of the notification's event, so that it can be told which claims stood before it.
  var position: Int64

  enum Kind: String, Codable, Sendable { case refunded, declined, reversed }

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
    percentage = transaction?.revocationPercentage
    extent = Self.extent(subtype: notification.subtype, transaction?.revocationType).rawValue
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

  /// Of two decisions the newer counts; signed at the same instant, refunded beats declined.
  func isNewer(than other: CaseOutcome) -> Bool {
    signedAt != other.signedAt ? signedAt > other.signedAt : kind == .refunded && other.kind == .declined
  }
}

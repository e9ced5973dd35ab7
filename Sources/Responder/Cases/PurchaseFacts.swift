import AppStore
import Contracts

/// What Apple says of the purchase itself, from the newest notification that carries it.
struct PurchaseFacts: Codable, Equatable, Sendable {
  /// When Apple signed it; an older one never overwrites a newer.
  var signedDate: Int64
  /// Decides between what was signed at one instant.
  var weight: Int64
  /// Id of the event that tells it; decides where nothing else does.
  var event: String
  var productID: String?
  var productType: String?
  var originalTransactionID: String?
  var appTransactionID: String?
  var purchaseDate: Int64?
  var quantity: Int64?
  /// Thousandths of the currency's unit; absent is unknown, never 0.
  var price: Int64?
  var currency: String?
  var storefront: String?
  /// The app's token for the customer, where an answer tells it: at endpoint version 1, and only if it is a UUID.
  var accountToken: String?
  /// When the period that it pays for ends; subscriptions only.
  var expiresDate: Int64?
  /// nil where it stands.
  var revocation: Revocation?
  /// Of seats that were bought: several transactions may stand for one period.
  var seats: Seats?
  var answers: Answers

  struct Seats: Codable, Equatable, Sendable {
    /// How many Apple has taken back in all.
    var revoked: Int64?
    /// It adds seats to a period that another transaction began.
    var isAddition: Bool
  }

  /// Whether and how Apple takes an answer.
  enum Answers: String, Codable, Sendable { case version2, version1, familyShared, assigned }

  /// - Parameter event: id of the notification's event.
  init(_ transaction: JWSTransactionDecodedPayload, of notification: NotificationReceived, event: String) {
    signedDate = notification.signedDate
    weight = Self.weight(of: NotificationType(rawValue: notification.notificationType))
    self.event = event
    productID = transaction.productId
    productType = transaction.type?.rawValue
    originalTransactionID = transaction.originalTransactionId
    appTransactionID = transaction.appTransactionId
    purchaseDate = transaction.purchaseDate
    quantity = transaction.quantity
    price = transaction.price
    currency = transaction.currency
    storefront = transaction.storefront
    expiresDate = transaction.expiresDate
    revocation = Revocation(transaction)
    let isAddition = transaction.additionalTransactionReason != nil
    if let info = transaction.multiSeatInfo {
      seats = Seats(revoked: info.revokedSeatQuantity, isAddition: isAddition)
    } else if isAddition {
      seats = Seats(isAddition: true)
    }
    answers =
      switch transaction.answerability {
      case .version2: .version2
      case .version1: .version1
      case .notAnswerable(.familyShared): .familyShared
      case .notAnswerable(.assigned): .assigned
      }
    if answers == .version1 { accountToken = transaction.accountToken.flatMap { AccountToken.isUUID($0) ? $0 : nil } }
  }

  var type: ProductType { ProductType(rawValue: productType ?? "") }

  /// Why Apple takes no answer; nil where it takes one.
  var notAnswerable: String? {
    switch answers {
    case .version2: nil
    case .version1 where ConsumptionRequestV1.takes(type): nil
    case .version1:
      "Apple takes answers for consumables and auto-renewable subscriptions alone where a purchase is of the Advanced "
        + "Commerce API"
    case .familyShared: Answerability.Reason.familyShared.description
    case .assigned: Answerability.Reason.assigned.description
    }
  }

  /// Whether the other tells more of how the purchase stands: signed later, or at the same instant and of more weight. The
  /// same whatever came first.
  func isOlder(than other: PurchaseFacts) -> Bool {
    (signedDate, weight, event) < (other.signedDate, other.weight, other.event)
  }

  /// As among Apple's decisions: what was taken back beats what was not, and a reversal beats both.
  private static func weight(of type: NotificationType) -> Int64 {
    switch type {
    case .refundReversed: 2
    case .refund, .revoke: 1
    default: 0
    }
  }
}

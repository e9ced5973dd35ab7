import AppStore

/// What Apple says of the purchase itself, from the newest notification that carries it.
struct PurchaseFacts: Codable, Equatable, Sendable {
  /// When Apple signed it; an older one never overwrites a newer.
  var signedDate: Int64
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
  var answers: Answers

  /// Whether and how Apple takes an answer.
  enum Answers: String, Codable, Sendable { case version2, version1, familyShared, assigned }

  init(_ transaction: JWSTransactionDecodedPayload, signedDate: Int64) {
    self.signedDate = signedDate
    productID = transaction.productId
    productType = transaction.type?.rawValue
    originalTransactionID = transaction.originalTransactionId
    appTransactionID = transaction.appTransactionId
    purchaseDate = transaction.purchaseDate
    quantity = transaction.quantity
    price = transaction.price
    currency = transaction.currency
    storefront = transaction.storefront
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
}

/// Why a call cannot be made. Nothing was sent; no id, token or name stands in the text.
public enum AppStoreCallError: Error, Sendable, Hashable, CustomStringConvertible {
  /// See `TransactionID`.
  case transactionId
  case orderId
  case testToken
  case pageToken
  case accountToken
  case startNotBeforeEnd
  case instant(String)
  /// A filter that is empty, too long or too many.
  case filter(String)
  case typeAndTransaction
  case subtypeWithoutType
  case notOffered(AppStoreCallKind, ServerEnvironment)
  case address

  public var description: String {
    switch self {
    case .transactionId: "a transaction id is 1 to 64 letters, digits, hyphens and underscores"
    case .orderId: "an order id is 1 to 64 letters and digits, as in the customer's mail from Apple"
    case .testToken: "the token of a test notification is 1 to 256 letters, digits, hyphens, underscores and dots"
    case .pageToken: "a page token has 1 to 4096 bytes"
    case .accountToken: "an account token is a UUID, and not the all-zero one"
    case .startNotBeforeEnd: "the start lies after the end"
    case .instant(let name): "\(name) is no instant in milliseconds since 1970"
    case .filter(let name): "\(name) holds at most \(TransactionHistoryCall.filterMax) values of 1 to 255 bytes each"
    case .typeAndTransaction: "Apple takes a notification type or a transaction to ask for, not both"
    case .subtypeWithoutType: "a subtype goes with its notification type alone"
    case .notOffered(let kind, let environment): "Apple offers no \(kind.name) in \(environment.rawValue)"
    case .address: "the address of the App Store Server API and the path of the call make no URL"
    }
  }
}

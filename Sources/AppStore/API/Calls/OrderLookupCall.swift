/// Look Up Order ID: the purchases of an order, by the id in the customer's mail from Apple. In Production alone.
/// Source: App Store Server API, «Look Up Order ID».
public struct OrderLookupCall: AppStoreCall {
  public let orderId: String

  public init(orderId: String) throws(AppStoreCallError) {
    let isWellFormed =
      (1...64).contains(orderId.utf8.count)
      && orderId.utf8.allSatisfy { byte in
        (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
          || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
      }
    guard isWellFormed else { throw .orderId }
    self.orderId = orderId
  }

  public var kind: AppStoreCallKind { .orderLookup }
  public var target: String { "/inApps/v1/lookup/\(orderId)" }

  public struct Order: Sendable, Hashable {
    public enum Status: OpenNumber {
      case valid, invalid
      case unknown(Int64)

      public init(rawValue: Int64) {
        switch rawValue {
        case 0: self = .valid
        case 1: self = .invalid
        default: self = .unknown(rawValue)
        }
      }

      public var rawValue: Int64 {
        switch self {
        case .valid: 0
        case .invalid: 1
        case .unknown(let rawValue): rawValue
        }
      }
    }

    public let status: Status
    /// Signed, to be verified like any other; none where the order is not valid for the app.
    public let signedTransactions: [String]
  }

  public func reply(_ body: [UInt8]) throws(AppStoreReplyFault) -> Order {
    let reader = try AppStoreReplyReader(body)
    guard let status = try reader.integer("status") else { throw .member("status", wanted: "a whole number") }
    return Order(
      status: Order.Status(rawValue: status), signedTransactions: try reader.texts("signedTransactions"))
  }
}

public import HTTPTypes
import JSON

/// Set App Account Token: says whose purchase it is, for one that was made outside the app or before there were tokens. It
/// counts for this transaction and later renewals, and takes the place of an earlier token.
/// Source: App Store Server API, «Set App Account Token».
public struct SetAppAccountTokenCall: AppStoreCall {
  public let originalTransactionId: String
  /// Lower case.
  public let appAccountToken: String

  public init(originalTransactionId: String, appAccountToken: String) throws(AppStoreCallError) {
    try AppStoreCallError.check(transactionId: originalTransactionId)
    guard let token = AccountToken.normalized(appAccountToken), AccountToken.isUUID(token) else { throw .accountToken }
    self.originalTransactionId = originalTransactionId
    self.appAccountToken = token
  }

  public var kind: AppStoreCallKind { .setAppAccountToken }
  public var method: HTTPMethod { .put }
  public var target: String { "/inApps/v1/transactions/\(originalTransactionId)/appAccountToken" }
  public var body: [UInt8] { JSONValue.object(["appAccountToken": .string(appAccountToken)]).bytes() }

  /// Any body will do: the status says it all.
  public func reply(_ body: [UInt8]) throws(AppStoreReplyFault) {}
}

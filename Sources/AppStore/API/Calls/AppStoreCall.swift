public import HTTPTypes

/// One call of the App Store Server API: how it is written, and what its reply says. A value that was checked when it was
/// made; `AppStoreServerAPI` adds address and token.
public protocol AppStoreCall: Sendable {
  associatedtype Reply: Sendable

  var kind: AppStoreCallKind { get }
  var method: HTTPMethod { get }
  /// Path and query after the host, percent-encoded.
  var target: String { get }
  /// JSON; empty where the call has none.
  var body: [UInt8] { get }

  /// Reads the body of a success.
  func reply(_ body: [UInt8]) throws(AppStoreReplyFault) -> Reply
}

extension AppStoreCall {
  public var method: HTTPMethod { .get }
  public var body: [UInt8] { [] }
}

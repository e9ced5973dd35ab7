public import HTTPTypes

/// Request a Test Notification: Apple posts one to the URL set for the environment. The reply names it.
/// Source: App Store Server API, «Request a Test Notification».
public struct TestNotificationCall: AppStoreCall {
  public init() {}

  public var kind: AppStoreCallKind { .testNotification }
  public var method: HTTPMethod { .post }
  public var target: String { "/inApps/v1/notifications/test" }

  public func reply(_ body: [UInt8]) throws(AppStoreReplyFault) -> String {
    try AppStoreReplyReader(body).text("testNotificationToken")
  }
}

/// Get Test Notification Status: how the delivery went. For some seconds after the request Apple may not know it yet, which
/// is a failure with the hint `notYet`. Source: App Store Server API, «Get Test Notification Status».
public struct TestNotificationStatusCall: AppStoreCall {
  public let token: String

  /// - Parameter token: of `TestNotificationCall`; good for six months.
  public init(token: String) throws(AppStoreCallError) {
    let isWellFormed =
      (1...256).contains(token.utf8.count)
      && token.utf8.allSatisfy { byte in
        (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
          || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) || "-_.".utf8.contains(byte)
      }
    // Two dots alone would lead up the path.
    guard isWellFormed, !token.utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) else { throw .testToken }
    self.token = token
  }

  public var kind: AppStoreCallKind { .testNotificationStatus }
  public var target: String { "/inApps/v1/notifications/test/\(token)" }

  public struct Status: Sendable, Hashable {
    /// As it was posted, to be verified like any other.
    public let signedPayload: String
    public let sendAttempts: [SendAttempt]
    /// Told by older servers in place of the attempts.
    public let firstSendAttemptResult: SendAttemptResult?
  }

  public func reply(_ body: [UInt8]) throws(AppStoreReplyFault) -> Status {
    let reader = try AppStoreReplyReader(body)
    return Status(
      signedPayload: try reader.text("signedPayload"),
      sendAttempts: try reader.parts("sendAttempts") { (attempt) throws(AppStoreReplyFault) in
        try SendAttempt(attempt)
      },
      firstSendAttemptResult: try reader.optionalText("firstSendAttemptResult")
        .map { SendAttemptResult(rawValue: $0) })
  }
}

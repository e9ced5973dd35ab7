/// One attempt of Apple's to deliver a notification. Source: App Store Server API, «sendAttemptItem».
public struct SendAttempt: Sendable, Hashable {
  /// Milliseconds since 1970 UTC.
  public let date: Int64
  public let result: SendAttemptResult

  public init(date: Int64, result: SendAttemptResult) {
    self.date = date
    self.result = result
  }

  init(_ reader: AppStoreReplyReader) throws(AppStoreReplyFault) {
    guard let date = try reader.integer("attemptDate") else {
      throw .member("attemptDate", wanted: "an instant in milliseconds")
    }
    self.init(date: date, result: SendAttemptResult(rawValue: try reader.text("sendAttemptResult")))
  }
}

public import HTTPTypes

/// The reply to one call: what it says, or what went wrong, with the raw status and the first bytes either way.
public struct AppStoreReply<Value: Sendable>: Sendable {
  /// Enough to see what a gateway said.
  public static var firstBytesMax: Int { 2048 }

  /// 0 where no reply came.
  public let status: Int
  /// Of the body as it came. May hold signed payloads: not for a log line.
  public let firstBytes: [UInt8]
  public let result: Result<Value, AppStoreFailure>

  /// - Parameter now: when it came, milliseconds since 1970 UTC.
  public init<Call: AppStoreCall>(_ response: HTTPResponse, to call: Call, now: Int64) where Call.Reply == Value {
    status = response.status
    firstBytes = Array(response.body.prefix(Self.firstBytesMax))
    if let failure = AppStoreFailure(response, now: now) {
      result = .failure(failure)
      return
    }
    do throws(AppStoreReplyFault) {
      result = .success(try call.reply(response.body))
    } catch {
      result = .failure(AppStoreFailure(status: response.status, error))
    }
  }

  private init() {
    status = 0
    firstBytes = []
    result = .failure(.lost)
  }

  /// For a call that got no reply.
  public static var lost: AppStoreReply { AppStoreReply() }
}

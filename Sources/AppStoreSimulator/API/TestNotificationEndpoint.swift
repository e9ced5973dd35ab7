import AppStore
import Cryptography
import HTTPTypes
import JSON
import Service

/// Request a Test Notification, and its status.
/// Source: App Store Server API, «Request a Test Notification» and «Get Test Notification Status».
struct TestNotificationEndpoint: Sendable {
  /// For so long after the request Apple's server does not know it yet; by the machine's clock. It is some seconds there.
  static let unknownMilliseconds: Int64 = 300
  /// Six months of the set clock.
  private static let tokenLife: Int64 = 180 * 86_400_000

  let ledger: Ledger
  let postman: Postman
  /// Whether there is somewhere to post to.
  let hasURL: Bool
  /// The number of the app in the settings, for notifications.
  let appAppleId: @Sendable (_ bundleId: String) -> Int64?

  func request(_ caller: StoreGate.Caller) throws(StoreError) -> HTTPResponse {
    guard hasURL else { throw .serverNotificationURLNotFound }
    let (token, uuid) = (SecureRandom.uuid(), SecureRandom.uuid())
    let app = StoreApp(bundleId: caller.app, appAppleId: appAppleId(caller.app), environment: caller.environment)
    var payload = Notices.whole(.test, nil, "data", app.json)
    payload["notificationUUID"] = .string(uuid)
    let told = payload
    let job = Postman.Job(due: caller.now, lane: nil, compose: { _ in told }, done: { _ in })
    // Known before it is posted: the receiver may be quick.
    ledger.keep(
      TestRecord(
        token: token, notificationUUID: uuid, app: caller.app, environment: caller.environment,
        requestedAt: caller.now, knownFrom: MonotonicClock.milliseconds() + Self.unknownMilliseconds))
    guard postman.take(job) else { throw .generalInternal }
    return .json(JSONValue.object(["testNotificationToken": .string(token)]).bytes())
  }

  func status(_ token: String, _ caller: StoreGate.Caller) throws(StoreError) -> HTTPResponse {
    guard ConsumptionJudgeV1.isUUID(token) else { throw .invalidTestNotificationToken }
    guard let test = ledger.test(token), test.app == caller.app, test.environment == caller.environment,
      caller.now < test.requestedAt + Self.tokenLife, MonotonicClock.milliseconds() >= test.knownFrom,
      let entry = ledger.history(of: test.notificationUUID), let first = entry.post.attempts.first
    else { throw .testNotificationNotFound }
    var reply = NotificationHistoryEndpoint.json(entry).object ?? [:]
    reply["firstSendAttemptResult"] = .string(first.result.rawValue)
    return .json(JSONValue.object(reply).bytes())
  }
}

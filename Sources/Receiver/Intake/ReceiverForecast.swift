import AppStore
public import Contracts
import Cryptography
import EventLog
import Service

/// What the receiver would say to a body as it is set up. Nothing is kept, counted or logged.
public struct ReceiverForecast {
  public enum Reply: Sendable {
    /// 200: into this stream of the log, unless it is there already.
    case appended(stream: String)
    /// 200: genuine, and it does not fit the settings or this release.
    case parked(ParkingReason, detail: String)
    case refused(Problem)
  }

  private let judge: NotificationJudge
  private let clock: WallClock

  public init(_ settings: ReceiverSettings) {
    // The translation asks a log for pseudonyms; those of one that is thrown away are as good here.
    let log = MemoryEventLog(
      parts: LogParts(clock: settings.clock.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid))
    judge = NotificationJudge(
      setup: ReceiverSetup(apps: settings.apps, verifier: SignedDataVerifier(anchors: settings.anchors)), log: log)
    clock = settings.clock
  }

  public func reply(to body: [UInt8]) -> Reply {
    do throws(Problem) {
      let token = try NotificationBody.signedPayload(body)
      switch judge.judge(token, receivedAt: clock.now()) {
      case .event(let draft, _): return .appended(stream: draft.stream.text)
      case .parked(let notification): return .parked(notification.reason, detail: notification.detail)
      case .refused(let problem): return .refused(problem)
      }
    } catch { return .refused(error) }
  }
}

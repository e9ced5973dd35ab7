import AppStore
public import Contracts
import EventLog

/// What the receiver would say to a body as it is set up. Nothing is kept, counted or logged.
public struct ReceiverForecast {
  public enum Reply: Sendable {
    /// 200: into this stream of the log, unless it is there already.
    case appended(stream: String)
    /// Genuine, and it does not fit the settings or this release.
    case parked(reason: String, detail: String)
    case refused(Problem)
  }

  private let apps: [AppIdentity]
  private let verifier: SignedDataVerifier

  public init(_ settings: ReceiverSettings) {
    apps = settings.apps
    verifier = SignedDataVerifier(anchors: settings.anchors)
  }

  public func reply(to body: [UInt8]) -> Reply {
    let notification: VerifiedNotification
    do throws(Problem) {
      let token = try NotificationBody.signedPayload(body)
      do throws(VerificationError) { notification = try verifier.verifyNotification(token) } catch {
        switch error {
        case .refused(let refusal): return .refused(Problem(refusal))
        case .genuineButUnusable(let unusable):
          return .parked(reason: "shape", detail: unusable.refusal.description)
        }
      }
    } catch { return .refused(error) }
    let verdict = notification.identity.judge(against: apps)
    guard case .accepted(let app) = verdict else { return .parked(reason: "settings", detail: verdict.description) }
    guard let id = notification.transaction?.transactionId else { return .appended(stream: Streams.app(app.bundleId)) }
    do throws(PurchaseKeyError) {
      return .appended(
        stream: try PurchaseKey(environment: notification.identity.environment!.rawValue, transactionID: id).stream)
    } catch { return .parked(reason: "shape", detail: error.description) }
  }
}

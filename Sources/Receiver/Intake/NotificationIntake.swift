public import AppStore
import Contracts
public import EventLog
public import HTTPServer
public import HTTPTypes
public import Service

/// Takes what is posted to the notification address: proves it, appends it, and only then says 200.
///
/// The network thread verifies (a fifth of a millisecond) and hands over; the log answers from its own thread when
/// the event is on disk. Nothing else decides the reply.
public final class NotificationIntake: Sendable {
  private let apps: [AppIdentity]
  private let verifier: SignedDataVerifier
  private let log: any EventLog
  private let translation: NotificationTranslation
  private let clock: WallClock
  private let logger: Logger

  public init(
    apps: [AppIdentity], verifier: SignedDataVerifier, log: any EventLog, clock: WallClock, logger: Logger
  ) {
    self.apps = apps
    self.verifier = verifier
    self.log = log
    translation = NotificationTranslation(log: log)
    self.clock = clock
    self.logger = logger
  }

  /// Answers one POST exactly once, now or when the log has answered.
  public func receive(_ request: HTTPRequest, _ reply: HTTPReply) {
    let receivedAt = clock.now()
    let draft: EventDraft
    do throws(Problem) {
      draft = try prove(request.body, receivedAt: receivedAt)
    } catch {
      logger.warning(
        "notification refused",
        [
          "problem": .text(error.code.rawValue), "detail": .text(error.description),
          "from": .text(request.remoteAddress),
        ])
      reply(.problem(error))
      return
    }
    log.submit([draft], expecting: [:]) { [logger] result in
      switch result {
      case .success(.recorded(let recordings)):
        reply(.empty(200))
        Self.note(recordings[0], of: draft, to: logger)
      case .success(.conflict): preconditionFailure("a call that expects nothing meets no conflict")
      case .failure(let error):
        reply(.problem(Problem(.unavailable)))
        logger.error(
          "notification not stored, the App Store will send it again",
          ["event.id": .text(draft.id.text), "reason": .text(error.description)])
      }
    }
  }

  /// From received bytes to the event they are, or the reason why not.
  private func prove(_ body: [UInt8], receivedAt: Int64) throws(Problem) -> EventDraft {
    let token = try NotificationBody.signedPayload(body)
    let notification: VerifiedNotification
    do throws(VerificationError) {
      notification = try verifier.verifyNotification(token)
    } catch {
      switch error {
      case .refused(let refusal): throw Problem(refusal)
      case .genuineButUnusable(let unusable): throw Self.notSetUp(unusable.refusal.description)
      }
    }
    let verdict = notification.identity.judge(against: apps)
    switch verdict {
    case .notConfigured: throw Self.notSetUp(verdict.description)
    case .accepted(let app):
      do throws(PurchaseKeyError) {
        return try translation.draft(notification, for: app, receivedAt: receivedAt)
      } catch { throw Self.notSetUp(error.description) }
    }
  }

  /// Genuine, and not for us as we are set up. Nothing here keeps it, so the App Store is asked to send it again: in
  /// production it does, an hour later and then for days; in the sandbox there is one attempt only.
  private static func notSetUp(_ why: String) -> Problem {
    Problem(.unavailable, detail: "genuine, but this receiver is not set up for it: \(why)")
  }

  private static func note(_ recording: AppendOutcome.Recording, of draft: EventDraft, to logger: Logger) {
    switch recording {
    case .appended(let position):
      logger.info(
        "notification appended",
        [
          "event.id": .text(draft.id.text), "event.position": .integer(position.value),
          "notification.kind": .text(draft.kind ?? ""), "stream": .text(draft.stream.text),
        ])
    case .duplicate(let first, _):
      logger.info(
        "notification known already",
        ["event.id": .text(draft.id.text), "event.position": .integer(first.value)])
    }
  }
}

extension HTTPResponse {
  /// RFC 9457; a passing fault says when to come again (RFC 9110 §10.2.3, seconds).
  static func problem(_ problem: Problem) -> HTTPResponse {
    .content(
      problem.encoded(), type: Problem.mediaType, status: problem.status,
      fields: problem.code == .unavailable ? ["Retry-After": "30"] : [:])
  }
}

import AppStore
import Contracts
import Cryptography
import EventLog
import HTTPServer
import HTTPTypes
import Service

/// Takes what is posted to the notification address: proves it, appends or parks it, and only then
/// says 200.
///
/// The network thread verifies (a fifth of a millisecond) and hands over; log and state answer from
/// threads of their own when the notification is on disk. Nothing else decides the reply.
final class NotificationIntake: Sendable {
  private let setup: Monitor<ReceiverSetup>
  private let log: any EventLog
  private let state: StateWriter
  private let clock: WallClock
  private let logger: Logger
  private let alarms: ParkingAlarms
  private let metrics: IntakeMetrics
  let vocabulary: VocabularyWatch
  /// Whether the log took what it was given of late.
  let logFault = RecentFault()

  init(
    setup: ReceiverSetup, log: any EventLog, state: StateWriter, clock: WallClock, logger: Logger,
    metrics: MetricRegistry
  ) {
    self.setup = Monitor(setup)
    self.log = log
    self.state = state
    self.clock = clock
    self.logger = logger
    alarms = ParkingAlarms(logger: logger)
    self.metrics = IntakeMetrics(metrics)
    vocabulary = VocabularyWatch(metrics, logger: logger)
  }

  /// Whom notifications are for; one that is being judged meanwhile is judged by either.
  var currentSetup: ReceiverSetup {
    get { setup.withLock { $0 } }
    set { setup.withLock { $0 = newValue } }
  }

  /// Answers one POST exactly once, now or when the disk has answered.
  /// - Parameter bundleInPath: tells where it came in, and decides nothing: the signed identity
  ///   does.
  func receive(_ request: HTTPRequest, bundleInPath: String? = nil, _ reply: HTTPReply) {
    let arrival = Arrival(
      at: clock.now(), beganNanoseconds: MonotonicClock.nanoseconds(), from: request.remoteAddress,
      bundleInPath: bundleInPath)
    let judgement: Judgement
    do throws(Problem) {
      let token = try NotificationBody.signedPayload(request.body)
      judgement = NotificationJudge(setup: currentSetup, log: log).judge(token, receivedAt: arrival.at)
    } catch { judgement = .refused(error) }
    switch judgement {
    case .event(let draft, let unknown): append(draft, unknown, arrival, reply)
    case .parked(let notification): park(notification, arrival, reply)
    case .refused(let problem): refuse(problem, request.body, arrival, reply)
    }
  }

  private struct Arrival: Sendable {
    /// Milliseconds since 1970, UTC.
    var at: Int64
    var beganNanoseconds: Int64
    var from: String
    var bundleInPath: String?
  }

  // MARK: The three ways

  private func append(_ draft: EventDraft, _ unknown: UnknownWords, _ arrival: Arrival, _ reply: HTTPReply) {
    warnOfPath(arrival, signed: draft.app)
    log.submit([draft], expecting: [:]) { [self] result in
      switch result {
      case .success(.recorded(let recordings)):
        reply(.empty(200))
        logFault.clear()
        note(recordings[0], of: draft, arrival)
        if case .appended = recordings[0] { vocabulary.note(unknown, of: draft.id.text) }
      case .success(.conflict): preconditionFailure("a call that expects nothing meets no conflict")
      case .failure(let error):
        // Paths and users of this machine are for its operator: log line and /readyz tell why.
        reply(.problem(Problem(.unavailable, detail: "the log takes nothing at the moment")))
        switch error {
        // One event beyond the bounds: others are taken.
        case .refused: break
        case .unknown, .notWritten, .overloaded, .closed: logFault.set("the log takes nothing: \(error)")
        }
        metrics.answered("unavailable", environment: draft.environment, sinceNanoseconds: arrival.beganNanoseconds)
        logger.error(
          "notification not stored, the App Store will send it again",
          ["event.id": .text(draft.id.text), "reason": .text(error.description)])
      }
    }
  }

  private func park(_ notification: ParkedNotification, _ arrival: Arrival, _ reply: HTTPReply) {
    warnOfPath(arrival, signed: notification.bundleID)
    state.park(notification) { [self] outcome in
      switch outcome {
      case .parked, .known: reply(.empty(200))
      case .full, .failed:
        reply(.problem(Problem(.unavailable, detail: "genuine, but not set up here, and it cannot be kept")))
      }
      let environment = notification.environment.flatMap(ServerEnvironment.init(rawValue:))?.rawValue
      let isKept =
        switch outcome {
        case .parked, .known: true
        case .full, .failed: false
        }
      metrics.answered(
        isKept ? "parked" : "unavailable", environment: environment, sinceNanoseconds: arrival.beganNanoseconds)
      alarms.raise(for: notification, outcome)
    }
  }

  private func refuse(_ problem: Problem, _ body: [UInt8], _ arrival: Arrival, _ reply: HTTPReply) {
    reply(.problem(problem))
    metrics.answered(problem.code.rawValue, sinceNanoseconds: arrival.beganNanoseconds)
    state.note(
      QuarantineNote(
        digest: SHA256.digest(of: body).bytes, firstReceivedAt: arrival.at, lastReceivedAt: arrival.at,
        remoteAddress: arrival.from, code: problem.code.rawValue, detail: problem.detail ?? problem.code.title,
        bodyBytes: Int64(body.count), excerpt: BodyExcerpt.make(body)))
    logger.warning(
      "notification refused",
      [
        "problem": .text(problem.code.rawValue), "detail": .text(problem.description), "from": .text(arrival.from),
      ])
  }

  // MARK: What is written about it

  private func note(_ recording: AppendOutcome.Recording, of draft: EventDraft, _ arrival: Arrival) {
    let kind = draft.kind ?? ""
    let type = kind.prefix { $0 != "/" }
    metrics.received(type: String(type), at: arrival.at)
    let result: String
    switch recording {
    case .appended(let position):
      result = "appended"
      if type == "TEST" {
        logger.info(
          "test notification arrived: the line from the App Store to this log works",
          ["app": .text(draft.app ?? ""), "environment": .text(draft.environment ?? "")])
      }
      logger.info(
        "notification appended",
        [
          "event.id": .text(draft.id.text), "event.position": .integer(position.value),
          "notification.kind": .text(kind), "stream": .text(draft.stream.text),
        ])
    case .duplicate(let first, _):
      result = "known"
      logger.info(
        "notification known already",
        ["event.id": .text(draft.id.text), "event.position": .integer(first.value)])
    }
    metrics.answered(result, environment: draft.environment, sinceNanoseconds: arrival.beganNanoseconds)
  }

  private func warnOfPath(_ arrival: Arrival, signed bundleID: String?) {
    guard let named = arrival.bundleInPath, !named.utf8.elementsEqual((bundleID ?? "").utf8) else { return }
    logger.warning(
      "notification came in at another app's address; it is taken by what is signed",
      ["address.bundle": .text(named), "notification.bundle": .text(bundleID ?? "")])
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

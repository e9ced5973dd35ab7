import Contracts
import Service

/// The figures of a responder; docs/operating.md tells what each says.
struct ResponderMetrics: Sendable {
  let registry: MetricRegistry
  /// By environment and class of the result: `sent`, or a class of ConsumptionFailed.
  let answers: MetricFamily<Counter>
  let callSeconds: Histogram
  /// From first receipt to Apple's reply.
  let answerSeconds: Histogram
  /// By reason.
  let withheld: MetricFamily<Counter>
  /// By kind, and by what Apple had been told: `answer`, `nothing`, or that it had not asked: `unasked`, `upgrade`.
  let outcomes: MetricFamily<Counter>
  /// 1 while calls of an app are paused because its token is refused.
  let paused: MetricFamily<Gauge>
  /// 1 while nothing is sent, as the log was restored.
  let sendingPaused: Gauge
  let stuck: Counter
  /// Events of a type, or a version of one, that this release does not know.
  let unknown: Counter
  /// 1 where this responder acts.
  let leads: Gauge
  private let live: Monitor<Live>

  private struct Live {
    /// When the first open refund request is due.
    var due: Int64?
    /// When the projection was last known to hold all of the log.
    var followedAt: Int64?
    var fault: String? = "the log is not followed yet"
    /// Why the log did not take what was to be written, until it takes something.
    var unwritten: String?
  }

  init(clock: WallClock) {
    let registry = MetricRegistry()
    let live = Monitor(Live())
    self.registry = registry
    self.live = live
    registry.measured(
      "refundlog_due_seconds", "Seconds until the next unanswered refund request is due; absent where none is open."
    ) { live.withLock { $0.due }.map { Double($0 - clock.now()) / 1000 } }
    registry.measured(
      "refundlog_projection_lag_seconds", "Seconds since the projection last held everything that is in the log."
    ) { live.withLock { $0.followedAt }.map { Double(clock.now() - $0) / 1000 } }
    answers = registry.counters(
      "refundlog_answers_total", "Calls to the App Store by what came of them.", labels: ["environment", "result"])
    callSeconds = registry.histogram("refundlog_call_seconds", "Seconds that a call to the App Store took.")
    answerSeconds = registry.histogram(
      "refundlog_answer_seconds", "Seconds from the receipt of a refund request until the App Store took its answer.",
      bounds: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 10_800, 21_600, 43_200])
    withheld = registry.counters(
      "refundlog_withheld_total", "Refund requests that ended without an answer.", labels: ["reason"])
    outcomes = registry.counters(
      "refundlog_outcomes_total", "Decisions of Apple, by what it had been told before.", labels: ["kind", "told"])
    paused = registry.gauges(
      "refundlog_paused", "1 while calls of an app are paused because its token is refused.",
      labels: ["app", "environment"])
    sendingPaused = registry.gauge(
      "refundlog_sending_paused", "1 while nothing is sent, as the log was restored and nobody resumed sending.")
    stuck = registry.counter("refundlog_stuck_events_total", "Events that could not be read.")
    unknown = registry.counter(
      "refundlog_unknown_events_total",
      "Events of a type or version that this release does not know, passed over since the start.")
    leads = registry.gauge("refundlog_leader", "1 where this responder acts for its log.")
  }

  /// What is known of this machine's clock.
  func measure(_ apple: AppleClock) {
    registry.measured(
      "refundlog_clock_offset_seconds",
      "Seconds that Apple's clock is ahead of this machine's, below 0 where it is behind; absent until replies agree."
    ) { apple.offset.map { Double($0) / 1000 } }
    registry.measured(
      "refundlog_clock_doubtful",
      "1 while no request is ended for the time, as this machine's clock has jumped and no reply of Apple's told the time."
    ) { apple.isDoubtful ? 1 : 0 }
  }

  /// Why the responder cannot do its work at the moment; nil where it can.
  var unreadyReason: String? { live.withLock { $0.fault ?? $0.unwritten } }

  /// The projection holds everything, or another responder sees to it.
  func follows(at instant: Int64?, due: Int64?) {
    live.change { $0 = Live(due: due, followedAt: instant, fault: nil, unwritten: $0.unwritten) }
  }

  /// An ending of ours that is in the log now.
  func count(_ event: some EventData) {
    switch event {
    case let event as ConsumptionWithheld: withheld[event.reason.rawValue].add()
    case let event as Outcome: outcomes[event.kind.rawValue, Self.told(before: event)].add()
    default: break
    }
  }

  /// What Apple had been told. A decision that no refund request came before says nothing about answers.
  private static func told(before outcome: Outcome) -> String {
    if outcome.request == nil { return outcome.upgraded == true ? "upgrade" : "unasked" }
    return outcome.answers.isEmpty ? "nothing" : "answer"
  }

  func doesNotFollow(_ reason: String) { live.change { $0.fault = reason } }

  /// The log took nothing; nil where it takes something again, or where another responder sees to it.
  func isNotWritten(_ reason: String?) { live.change { $0.unwritten = reason } }
}

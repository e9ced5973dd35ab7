import Service

/// Figures of the notification address.
struct IntakeMetrics: Sendable {
  private let notifications: MetricFamily<Counter>
  private let replySeconds: Histogram
  private let newest: MetricFamily<Gauge>

  init(_ registry: MetricRegistry) {
    notifications = registry.counters(
      "refundlog_notifications_total",
      "Posted notifications by what became of them: appended, known, parked, unavailable, or the problem they were refused with",
      labels: ["result", "environment"])
    replySeconds = registry.histogram(
      "refundlog_notification_reply_seconds", "From a whole request to its reply, the disk included")
    newest = registry.gauges(
      "refundlog_notification_newest_timestamp_seconds",
      "When the newest notification of a type was received, since 1970; none before the first one after a start",
      labels: ["type"])
  }

  /// - Parameter environment: of a genuine notification; what a stranger writes never becomes a
  ///   label.
  func answered(_ result: String, environment: String? = nil, sinceNanoseconds begin: Int64) {
    notifications[result, environment ?? "unknown"].add()
    replySeconds.observe(Double(MonotonicClock.nanoseconds() - begin) / 1e9)
  }

  /// - Parameter at: milliseconds since 1970, UTC.
  func received(type: String, at: Int64) { newest[type].set(Double(at) / 1000) }
}

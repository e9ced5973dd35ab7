import Service

/// Figures of the API. Routes are our templates, so strangers cannot make series.
struct APIMetrics: Sendable {
  private let calls: MetricFamily<Counter>
  private let seconds: MetricFamily<Histogram>

  init(_ registry: MetricRegistry) {
    calls = registry.counters(
      "refundlog_api_calls_total", "Calls of the API by route and status.", labels: ["route", "status"])
    seconds = registry.histograms(
      "refundlog_api_seconds", "Seconds from a call's arrival to its answer.", labels: ["route"])
  }

  func count(route: String, status: Int, milliseconds: Int64) {
    calls[route, String(status)].add()
    seconds[route].observe(Double(milliseconds) / 1_000)
  }
}

/// The metrics of a service, written for Prometheus in the order in which they were registered.
///
/// Names and labels are ours and constant: a wrong or repeated one is a mistake in the program and stops it.
public final class MetricRegistry: Sendable {
  /// Value of Content-Type for what `text` returns.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private struct Metric: Sendable {
    var name: String
    var help: String
    var type: String
    var labels: [String]
    var read: @Sendable () -> [(values: [String], samples: [MetricSample])]
  }

  private let metrics = Monitor<[Metric]>([])

  public init() {}

  /// - Parameter name: ends in `_total`.
  public func counter(_ name: String, _ help: String) -> Counter { counters(name, help, labels: [])[] }

  public func counters(_ name: String, _ help: String, labels: [String]) -> MetricFamily<Counter> {
    precondition(name.hasSuffix("_total"), "the name of the counter \(name) must end in _total")
    return family(name, help, "counter", labels) { Counter() }
  }

  /// - Parameter name: ends in its unit, where it has one: `_seconds`, `_bytes`.
  public func gauge(_ name: String, _ help: String) -> Gauge { gauges(name, help, labels: [])[] }

  public func gauges(_ name: String, _ help: String, labels: [String]) -> MetricFamily<Gauge> {
    family(name, help, "gauge", labels) { Gauge() }
  }

  public func histogram(_ name: String, _ help: String, bounds: [Double] = Histogram.seconds) -> Histogram {
    histograms(name, help, labels: [], bounds: bounds)[]
  }

  public func histograms(
    _ name: String, _ help: String, labels: [String], bounds: [Double] = Histogram.seconds
  ) -> MetricFamily<Histogram> {
    family(name, help, "histogram", labels) { Histogram(bounds: bounds) }
  }

  /// A gauge that is measured when it is written, such as the age of something.
  /// - Parameter read: called on whichever thread writes; must be quick. nil leaves the metric without a value.
  public func measured(_ name: String, _ help: String, read: @escaping @Sendable () -> Double?) {
    register(
      Metric(name: name, help: help, type: "gauge", labels: []) { read().map { [([], [MetricSample($0)])] } ?? [] })
  }

  /// A counter that somebody else keeps.
  /// - Parameter read: as with `measured`; what it returns must never fall.
  public func counted(_ name: String, _ help: String, read: @escaping @Sendable () -> Int64) {
    precondition(name.hasSuffix("_total"), "the name of the counter \(name) must end in _total")
    register(Metric(name: name, help: help, type: "counter", labels: []) { [([], [MetricSample(Double(read()))])] })
  }

  /// All metrics in the Prometheus text format 0.0.4.
  public func text() -> String {
    // What is measured runs outside the lock: it may be slow, or register something itself.
    let metrics = metrics.withLock { $0 }
    var text = ""
    for metric in metrics {
      text += "# HELP \(metric.name) \(MetricText.help(metric.help))\n# TYPE \(metric.name) \(metric.type)\n"
      for (values, samples) in metric.read() {
        let shared = Array(zip(metric.labels, values))
        for sample in samples {
          let labels = (shared + (sample.label.map { [$0] } ?? []))
            .map { "\($0.0)=\"\(MetricText.labelValue($0.1))\"" }.joined(separator: ",")
          text += metric.name + sample.suffix + (labels.isEmpty ? "" : "{\(labels)}")
          text += " \(MetricText.number(sample.value))\n"
        }
      }
    }
    return text
  }

  private func family<Cell: MetricCell>(
    _ name: String, _ help: String, _ type: String, _ labels: [String], make: @escaping @Sendable () -> Cell
  ) -> MetricFamily<Cell> {
    let family = MetricFamily(labels: labels, make: make)
    register(
      Metric(name: name, help: help, type: type, labels: labels) { family.all().map { ($0.values, $0.cell.samples()) } }
    )
    return family
  }

  private func register(_ metric: Metric) {
    precondition(MetricText.isMetricName(metric.name), "\"\(metric.name)\" cannot be the name of a metric")
    precondition(
      metric.labels.allSatisfy(MetricText.isLabelName) && Set(metric.labels).count == metric.labels.count,
      "the labels \(metric.labels) of \(metric.name) cannot be used")
    metrics.withLock { metrics in
      precondition(!metrics.contains { $0.name == metric.name }, "the metric \(metric.name) is registered twice")
      metrics.append(metric)
    }
  }
}

/// One series of a metric: a counter, a gauge or a histogram.
public protocol MetricCell: AnyObject, Sendable {
  /// The lines that it is written as.
  func samples() -> [MetricSample]
}

/// One line of a series, without the labels that all its lines share.
public struct MetricSample: Sendable {
  var value: Double
  /// What follows the metric's name.
  var suffix: String
  /// A label of this line alone.
  var label: (name: String, value: String)?

  init(_ value: Double, suffix: String = "", label: (name: String, value: String)? = nil) {
    self.value = value
    self.suffix = suffix
    self.label = label
  }
}

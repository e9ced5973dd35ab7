/// A metric with labels: one series for each set of their values, made when it is first asked for.
///
/// Finding a series takes a lock for a look-up; where that matters, keep the series.
public final class MetricFamily<Cell: MetricCell>: Sendable {
  /// Series of one metric. Values that strangers choose must not fill the memory: what comes after has the value
  /// `other` in every label.
  public static var seriesMax: Int { 1000 }

  private let labels: [String]
  private let make: @Sendable () -> Cell
  private let series = Monitor<[[String]: Cell]>([:])

  init(labels: [String], make: @escaping @Sendable () -> Cell) {
    self.labels = labels
    self.make = make
  }

  /// - Parameter values: one for each label, in their order.
  public subscript(values: String...) -> Cell { self[values] }

  subscript(values: [String]) -> Cell {
    precondition(values.count == labels.count, "one value for each of the labels \(labels)")
    return series.withLock { series in
      if let cell = series[values] { return cell }
      let isFull = series.count >= Self.seriesMax
      let key = isFull ? labels.map { _ in "other" } : values
      if let cell = series[key] { return cell }
      let cell = make()
      series[key] = cell
      return cell
    }
  }

  /// Each series with its values, in the order of these.
  func all() -> [(values: [String], cell: Cell)] {
    series.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
  }
}

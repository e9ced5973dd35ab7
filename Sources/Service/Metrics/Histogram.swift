import Synchronization

/// How values are spread over fixed buckets: mostly seconds of something. Two atomic additions per value, no lock.
///
/// `@unchecked Sendable`: `counts` is set once and freed in `deinit`; what it points at is atomic.
public final class Histogram: MetricCell, @unchecked Sendable {
  /// Upper bounds in seconds for calls over a network and for disk writes: half a millisecond to a minute.
  public static let seconds: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  ]

  /// Upper bounds, a value on a bound counts below it; one more bucket takes what is above the last.
  public let bounds: [Double]
  private let counts: UnsafeMutablePointer<Atomic<Int64>>
  private let sumBits = Atomic<UInt64>(0)

  /// - Parameter bounds: rising and finite, 1 to 64 of them.
  public init(bounds: [Double]) {
    precondition(
      (1...64).contains(bounds.count) && bounds.allSatisfy(\.isFinite) && zip(bounds, bounds.dropFirst()).allSatisfy(<),
      "the bounds of a histogram are 1 to 64 finite numbers that rise")
    self.bounds = bounds
    counts = .allocate(capacity: bounds.count + 1)
    for index in 0...bounds.count { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: bounds.count + 1)
    counts.deallocate()
  }

  /// Takes a value into account; one that is no number is left out.
  public func observe(_ value: Double) {
    guard !value.isNaN else { return }
    let index = bounds.firstIndex { value <= $0 } ?? bounds.count
    counts[index].wrappingAdd(1, ordering: .relaxed)
    sumBits.addDouble(value)
  }

  /// One sample per bucket with the label `le`, each counting those below it too, then `_sum` and `_count`. Values
  /// observed meanwhile may be in the sum and not yet in the buckets.
  public func samples() -> [MetricSample] {
    var total: Int64 = 0
    var samples: [MetricSample] = []
    for index in 0...bounds.count {
      total += counts[index].load(ordering: .relaxed)
      let bound = index < bounds.count ? bounds[index] : .infinity
      samples.append(MetricSample(Double(total), suffix: "_bucket", label: ("le", MetricText.number(bound))))
    }
    samples.append(MetricSample(Double(bitPattern: sumBits.load(ordering: .relaxed)), suffix: "_sum"))
    // The same total as the last bucket, so that the two always agree.
    samples.append(MetricSample(Double(total), suffix: "_count"))
    return samples
  }
}

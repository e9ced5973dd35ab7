import Synchronization

/// A number as it is now, in the unit that its name ends with. Set and read without a lock.
public final class Gauge: MetricCell {
  private let bits = Atomic<UInt64>(0)

  public init() {}

  public var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  public func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  /// - Parameter amount: may be below 0.
  public func add(_ amount: Double) { bits.addDouble(amount) }

  public func samples() -> [MetricSample] { [MetricSample(value)] }
}

extension Atomic where Value == UInt64 {
  /// Adds to the number whose bit pattern is held; tries again when another thread was faster.
  func addDouble(_ amount: Double) {
    var old = load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (exchanged, original) = weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
      if exchanged { return }
      old = original
    }
  }
}

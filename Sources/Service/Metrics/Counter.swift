import Synchronization

/// A number that only grows while the process lives: how often something happened. One atomic addition, no lock.
public final class Counter: MetricCell {
  private let count = Atomic<Int64>(0)

  public init() {}

  /// - Parameter amount: 0 or more; at the largest `Int64` it begins again, which no service lives to see.
  public func add(_ amount: Int64 = 1) {
    precondition(amount >= 0, "a counter only grows; a value that also falls is a gauge")
    count.wrappingAdd(amount, ordering: .relaxed)
  }

  public var value: Int64 { count.load(ordering: .relaxed) }

  public func samples() -> [MetricSample] { [MetricSample(Double(value))] }
}

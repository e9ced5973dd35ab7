/// A dictionary that forgets its oldest entry when it is full.
struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private var values: [Key: Value] = [:]
  private var order: [Key] = []
  private var oldest = 0
  private let limit: Int

  init(limit: Int) {
    precondition(limit > 0, "a cache that may hold nothing")
    self.limit = limit
  }

  var count: Int { values.count }

  subscript(key: Key) -> Value? { values[key] }

  /// Keeps the value, unless the key has one already.
  mutating func insert(_ value: Value, for key: Key) {
    guard values[key] == nil else { return }
    if order.count < limit {
      order.append(key)
    } else {
      values[order[oldest]] = nil
      order[oldest] = key
      oldest = (oldest + 1) % limit
    }
    values[key] = value
  }
}

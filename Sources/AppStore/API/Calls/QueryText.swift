import HTTPTypes

/// A query, item by item.
struct QueryText {
  private(set) var text = ""

  mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    text += (text.isEmpty ? "?" : "&") + name + "=" + PercentEncoding.encoded(value)
  }
}

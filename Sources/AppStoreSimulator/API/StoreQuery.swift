import HTTPTypes

/// The parameters of a call; unknown ones are not looked at.
struct StoreQuery {
  private let items: [(name: String, value: String)]

  init(_ target: HTTPTarget) throws(StoreError) {
    guard let items = target.queryItems else { throw .generalBadRequest }
    self.items = items
  }

  /// nil where it is absent or empty; given twice, it is the first.
  subscript(name: String) -> String? {
    items.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  /// An instant in milliseconds since 1970.
  func instant(_ name: String, _ error: StoreError) throws(StoreError) -> Int64? {
    guard let text = self[name] else { return nil }
    guard let instant = Int64(text), instant >= 0 else { throw error }
    return instant
  }

  /// The question without what leads from page to page, always in one order.
  func question(but page: String) -> [UInt8] {
    let rest = items.filter { $0.name != page }.map { "\($0.name)=\($0.value)" }.sorted()
    return Array(rest.joined(separator: "\n").utf8)
  }
}

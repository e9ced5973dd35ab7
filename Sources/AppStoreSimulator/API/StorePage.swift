/// Twenty elements of a list, and where the next page begins.
struct StorePage<Element> {
  /// Of all calls that have pages.
  static var max: Int { 20 }

  let elements: [Element]
  let hasMore: Bool

  /// - Parameter isBehind: whether an element comes after the page before.
  init(of list: [Element], where isBehind: (Element) -> Bool) {
    let rest = list.filter(isBehind)
    elements = Array(rest.prefix(Self.max))
    hasMore = rest.count > elements.count
  }
}

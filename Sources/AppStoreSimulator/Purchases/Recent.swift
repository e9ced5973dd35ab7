/// The newest of a kind, oldest first; past its bound the oldest go. Each has a number by which it can be changed.
struct Recent<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  /// Number of the first element that is left.
  private var first = 0
  private let max: Int

  init(max: Int) { self.max = max }

  var all: [Element] { Array(elements.suffix(max)) }

  /// With their numbers.
  var numbered: [(number: Int, element: Element)] {
    let start = Swift.max(0, elements.count - max)
    return (start..<elements.count).map { (first + $0, elements[$0]) }
  }

  /// - Returns: the element's number.
  @discardableResult
  mutating func append(_ element: Element) -> Int {
    elements.append(element)
    // Cut in one go now and then, not one by one.
    if elements.count >= 2 * max {
      first += elements.count - max
      elements.removeFirst(elements.count - max)
    }
    return first + elements.count - 1
  }

  /// Changes an element unless it has gone.
  /// - Returns: it, changed.
  mutating func change(_ number: Int, _ body: (inout Element) -> Void) -> Element? {
    guard number >= first, number < first + elements.count else { return nil }
    body(&elements[number - first])
    return elements[number - first]
  }
}

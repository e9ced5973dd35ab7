/// The newest of a kind, oldest first; past its bound the oldest go.
struct Recent<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  private let max: Int

  init(max: Int) { self.max = max }

  var all: [Element] { Array(elements.suffix(max)) }

  mutating func append(_ element: Element) {
    elements.append(element)
    // Cut in one go now and then, not one by one.
    if elements.count >= 2 * max { elements.removeFirst(elements.count - max) }
  }
}

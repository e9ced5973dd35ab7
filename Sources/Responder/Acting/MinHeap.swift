/// A queue that gives its smallest element first; adding and taking cost the logarithm of its length.
struct MinHeap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []

  init() {}

  /// Of the elements, in one go.
  init(_ elements: [Element]) {
    self.elements = elements
    for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// With those elements only that are meant.
  func filtered(_ isMeant: (Element) -> Bool) -> Self { Self(elements.filter(isMeant)) }

  var count: Int { elements.count }
  var first: Element? { elements.first }

  mutating func add(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, case let parent = (index - 1) / 2, elements[index] < elements[parent] {
      elements.swapAt(index, parent)
      index = parent
    }
  }

  mutating func takeFirst() -> Element? {
    guard let first = elements.first else { return nil }
    let last = elements.removeLast()
    if !elements.isEmpty {
      elements[0] = last
      sink(0)
    }
    return first
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < elements.count else { return }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < elements[index] else { return }
      elements.swapAt(index, child)
      index = child
    }
  }
}

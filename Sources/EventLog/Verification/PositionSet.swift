/// Positions of a log, one bit each: what was erased in a hundred million events takes 12 MB.
public struct PositionSet: Sendable, Equatable, Sequence, ExpressibleByArrayLiteral {
  private var words: [UInt64] = []
  public private(set) var count = 0

  public init() {}
  public init(arrayLiteral elements: Position...) { for position in elements { insert(position) } }

  public var isEmpty: Bool { count == 0 }
  public var first: Position? { first { _ in true } }

  public func contains(_ position: Position) -> Bool {
    let word = Int(position.value / 64)
    return position.value > 0 && word < words.count && words[word] & 1 << UInt64(position.value % 64) != 0
  }

  /// - Precondition: positions begin at 1.
  public mutating func insert(_ position: Position) {
    precondition(position.value > 0, "positions begin at 1")
    guard !contains(position) else { return }
    let word = Int(position.value / 64)
    if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
    words[word] |= 1 << UInt64(position.value % 64)
    count += 1
  }

  public mutating func remove(_ position: Position) {
    guard contains(position) else { return }
    words[Int(position.value / 64)] &= ~(1 << UInt64(position.value % 64))
    count -= 1
  }

  /// In the order of the log.
  public func makeIterator() -> AnyIterator<Position> {
    var word = 0
    var rest = words.first ?? 0
    return AnyIterator {
      while rest == 0 {
        word += 1
        guard word < words.count else { return nil }
        rest = words[word]
      }
      let bit = rest.trailingZeroBitCount
      rest &= rest - 1
      return Position(Int64(word * 64 + bit))
    }
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
  }
}

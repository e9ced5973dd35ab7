/// The signed tokens of the newest notifications, by the number of their record; past either bound the oldest go.
struct KeptTokens: Sendable {
  /// Two tokens that share a header share its bytes, so this is close to what they take.
  static let bytesMax = 64 << 20

  private var tokens: [Int: KeptToken] = [:]
  /// The oldest that may be there, and the next number.
  private var first = 0
  private var end = 0
  private var bytes = 0
  private let max: Int

  init(max: Int) { self.max = max }

  subscript(number: Int) -> KeptToken? { tokens[number] }

  /// - Parameter number: above those of all earlier ones.
  mutating func keep(_ token: KeptToken, number: Int) {
    tokens[number] = token
    bytes += token.bytes
    if end == 0 { first = number }
    end = number + 1
    while first < end, tokens.count > max || bytes > Self.bytesMax {
      if let gone = tokens.removeValue(forKey: first) { bytes -= gone.bytes }
      first += 1
    }
  }
}

import FoundationEssentials

/// Makes states of their texts. One that is looked at again, as most are between two events, is not decoded again.
///
/// What is known is known by its whole text, so that nothing has to be forgotten: what was taken back, or changed by
/// another process, has another text.
struct StateTexts<Key: Hashable, State: Decodable> {
  private var known: [Key: (text: [UInt8], state: State)] = [:]
  private let decoder = JSONDecoder()
  /// Of each, the newest text alone.
  static var most: Int { 64 }

  /// - Throws: `unreadable` where this version did not write it.
  mutating func state(_ key: Key, text: [UInt8]) throws(ProjectionError) -> State {
    if let known = known[key], known.text == text { return known.state }
    let state: State
    do { state = try decoder.decode(State.self, from: Data(text)) } catch { throw .unreadable }
    if known.count >= Self.most { known = [:] }
    known[key] = (text, state)
    return state
  }
}

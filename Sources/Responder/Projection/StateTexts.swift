import FoundationEssentials

/// Makes states of their texts. One that is looked at again, as most are between two events, is not decoded again.
///
/// What is known is known by its whole text, so that nothing has to be forgotten: what was taken back, or changed by
/// another process, has another text.
struct StateTexts<State: Decodable> {
  private var known: [[UInt8]: State] = [:]
  private let decoder = JSONDecoder()
  /// Some hundred kilobytes.
  private let most = 64

  /// - Throws: `unreadable` where this version did not write it.
  mutating func state(of text: [UInt8]) throws(ProjectionError) -> State {
    if let state = known[text] { return state }
    let state: State
    do { state = try decoder.decode(State.self, from: Data(text)) } catch { throw .unreadable }
    if known.count >= most { known = [:] }
    known[text] = state
    return state
  }
}

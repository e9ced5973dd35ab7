import EventLog

/// Words for how far a verification is: a bar that is drawn over itself on a terminal, else a line every few seconds.
struct VerificationTelling {
  let isTerminal: Bool
  private let from: Position
  /// Milliseconds of a clock that never goes back, as all instants here.
  private let began: Int64
  private var told: Int64

  init(isTerminal: Bool, from: Position, at now: Int64) {
    self.isTerminal = isTerminal
    self.from = from
    began = now
    told = now
  }

  /// nil where it is too early to say something again.
  mutating func text(reached: Position, head: Position, at now: Int64) -> String? {
    guard now - told >= (isTerminal ? 200 : 5_000) else { return nil }
    told = now
    let all = max(1, head.value - from.value)
    let done = min(max(0, reached.value - from.value), all)
    let rate = done * 1_000 / max(1, now - began)
    let words = "\(done * 100 / all) %  position \(reached) of \(head), \(rate) events/s"
    guard isTerminal else { return "\(words)\n" }
    return ProgressBar.text(share: Double(done) / Double(all), words)
  }

  /// What takes the bar away.
  var end: String { isTerminal ? ProgressBar.end : "" }
}

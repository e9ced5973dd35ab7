import Responder

/// Words for how far a rebuild is: a bar that is drawn over itself on a terminal, else a line now and then.
struct RebuildTelling {
  let isTerminal: Bool
  private var began: Int64?
  private var told: Int64 = 0
  private var phase: RebuildProgress.Phase?

  init(isTerminal: Bool) { self.isTerminal = isTerminal }

  /// nil where it is too early to say something again.
  /// - Parameter now: milliseconds of a clock that never goes back.
  mutating func text(_ progress: RebuildProgress, at now: Int64) -> String? {
    let began = began ?? now
    self.began = began
    let isNew = phase != progress.phase
    if !isNew, now - told < (isTerminal ? 100 : 2_000) { return nil }
    told = now
    phase = progress.phase
    let events = Int64(progress.share * Double(progress.head))
    let rate = events * 1_000 / max(1, now - began)
    let words = "\(Self.words(progress)), head \(progress.head), \(rate) events/s"
    guard isTerminal else { return "\(Int(progress.share * 100)) %  \(words)\n" }
    return ProgressBar.text(share: progress.share, "\(Int(progress.share * 100)) %  \(words)")
  }

  /// What ends the bar.
  var end: String { isTerminal && began != nil ? ProgressBar.end : "" }

  private static func words(_ progress: RebuildProgress) -> String {
    switch progress.phase {
    case .listing: "looks for cases, position \(progress.done) of \(progress.total)"
    case .folding: "folds, stream \(progress.done) of \(progress.total)"
    case .indexing: "indexes"
    case .catchingUp: "catches up"
    case .verifying: "checks the file"
    }
  }
}

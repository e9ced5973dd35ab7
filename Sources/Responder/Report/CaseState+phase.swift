import Contracts

extension CaseState {
  /// How far the case is, as far as it can be told without an instant: what is open may also be waiting.
  var phase: CasePhase {
    if requests.contains(where: { !$0.hasEnded }) { return .open }
    if outcome != nil { return .decided }
    guard let last = requests.last else { return .open }
    if last.isAnswered { return .answered }
    return last.withheld != nil ? .withheld : .failed
  }

  /// When Apple signed the newest request or decision.
  var newest: Int64 { max(requests.last?.signedAt ?? 0, decisions.map(\.signedAt).max() ?? 0) }
}

import Contracts

/// How a case ended, for people.
enum EndingWords {
  static func of(_ page: CasePage) -> String {
    let decisions = page.outcomes.map(words).joined(separator: ", then ")
    guard let withheld = page.requests.last?.withheld else {
      return decisions.isEmpty ? page.requests.last.map(\.words) ?? "" : decisions
    }
    if !decisions.isEmpty { return "\(decisions) (not answered)" }
    return ConsumptionWithheld.Reason(rawValue: withheld.reason) == .noConsent
      ? "not answered: no consent" : "not answered: \(withheld.reason)"
  }

  static func words(_ decision: CasePage.Decision) -> String {
    switch (decision.kind, decision.extent) {
    case (.declined, _): "declined"
    case (.reversed, _): "reversed"
    case (.refunded, .full): "refunded in full"
    case (.refunded, .prorated):
      "refunded in part" + (decision.percentage.map { ", \(Milliunits.percent($0)) %" } ?? "")
    case (.refunded, _): "refunded"
    }
  }
}

import AppStore
import Contracts
import JSON
import Service

/// A case in sentences.
struct CaseText: CustomStringConvertible {
  let page: CasePage
  let now: Int64

  var description: String {
    let app = page.summary.app ?? "an unknown app"
    var text = "Case \(page.summary.purchase) of \(app): \(page.summary.phase.rawValue)\n"
    if let stuck = page.stuck {
      text += "\nSTUCK at position \(stuck.position): \(stuck.error). What follows is told up to there only.\n"
    }
    if let since = page.sendingPausedSince { text += "\n\(Self.paused(since: since))\n" }
    text += "\nWhat was bought\n" + bought
    for (index, request) in page.requests.enumerated() { text += told(request, number: index + 1) }
    text += "\nConsent\n  \(page.consent.state.rawValue): \(page.consent.words)\n"
    if !page.evidence.isEmpty { text += "\nWhat is known of the purchase\n" + evidence }
    text += "\nWhat came of it\n" + outcomes
    if !page.renewals.isEmpty { text += "\nRenewal\n" + renewals }
    text += "\nTimeline\(page.isTimelineCut ? " (the newest \(CasePage.timelineMax) events)" : "")\n"
    text += Table(rows: page.timeline.map { ["  \($0.position)", RFC3339.text($0.at), $0.gist] }).description
    return Shown.lines(text)
  }

  /// That nothing is sent, in a sentence.
  static func paused(since instant: Int64) -> String {
    "Sending is paused since the restore of \(RFC3339.text(instant)): nothing goes to Apple until refundlog resume."
  }

  private var bought: String {
    guard let purchase = page.purchase else { return "  No notification carried the purchase.\n" }
    let times = purchase.quantity.map { $0 == 1 ? "" : "\($0) × " } ?? ""
    let price =
      purchase.price.map { "\(Self.decimal($0)) \(purchase.currency ?? "in an unknown currency")" } ?? "price unknown"
    var text =
      "  \(times)\(purchase.productID ?? "an unknown product"), \(purchase.productType ?? "of unknown type"), \(price)"
    if let storefront = purchase.storefront { text += ", storefront \(storefront)" }
    text += "\n  on \(purchase.purchaseDate.map(RFC3339.text) ?? "an unknown day")"
    if let original = purchase.originalTransactionID, original != page.summary.purchase.transactionID {
      text += ", a renewal of \(original)"
    }
    return text + "\n  \(purchase.answerable)\n  \(purchase.revocation.words)\n"
  }

  /// Thousandths of a unit as Apple counts them, with two decimals or three.
  static func decimal(_ milliunits: Int64) -> String {
    let digits = String(milliunits.magnitude)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let fraction = padded.suffix(3)
    return (milliunits < 0 ? "-" : "") + padded.dropLast(3) + "."
      + (fraction.last == "0" ? fraction.dropLast() : fraction)
  }

  // MARK: Requests

  private func told(_ request: CasePage.Request, number: Int) -> String {
    let which = page.requests.count == 1 ? "" : " (request \(number) of \(page.requests.count))"
    var text = "\nWhy they ask\(which)\n  \(Self.reason(request.reason))\n"
    text += "  Apple asked on \(RFC3339.text(request.signedAt)), received \(RFC3339.text(request.receivedAt)).\n"
    text += "\nWhat we said, and why\(which)\n"
    if request.attempts.isEmpty { text += "  Nothing\(request.isOpen ? " yet" : "").\n" }
    for attempt in request.attempts { text += told(attempt) }
    if request.mayHaveBeenAnswered {
      text += "  It may have been answered before the restore: what was sent after the backup is not known.\n"
    }
    text += "  \(request.words)\n"
    if let withheld = request.withheld {
      text += "  \(withheld.reason): \(withheld.explanation ?? "no explanation"), \(RFC3339.text(withheld.at))\n"
    }
    return request.isOpen ? text + until(request, which) : text
  }

  private func until(_ request: CasePage.Request, _ which: String) -> String {
    let deadline = Deadline(now: now)
    var text = "\nUntil when\(which)\n  due \(deadline.due(request.due)) (\(RFC3339.text(request.due))), "
    text += "closed \(deadline.closed(request.closed)) (\(RFC3339.text(request.closed)))\n"
    if let waiting = request.waitsFor {
      text += "  It waits for \(waiting)\(request.waitsUntil.map { ", until \(RFC3339.text($0))" } ?? "").\n"
    }
    return text
  }

  /// No reason and one that nobody here knows are two things.
  static func reason(_ word: String?) -> String {
    guard let word else { return "None given: Apple sent no reason." }
    switch ConsumptionRequestReason(rawValue: word) {
    case .unintendedPurchase: return "UNINTENDED_PURCHASE: the customer did not mean to buy it."
    case .fulfillmentIssue: return "FULFILLMENT_ISSUE: the customer did not get it, or it did not work."
    case .unsatisfiedWithPurchase: return "UNSATISFIED_WITH_PURCHASE: the customer is not satisfied with it."
    case .legal: return "LEGAL: a legal reason."
    case .other: return "OTHER: some other reason."
    case .unknown: return "\(word): a word of Apple that this release does not know."
    }
  }

  private func told(_ attempt: CasePage.Attempt) -> String {
    var text = "  Attempt \(attempt.number), \(attempt.state.rawValue)"
    if let status = attempt.status { text += ", Apple replied \(status)" }
    if let code = attempt.errorCode { text += " with error \(code)" }
    if let at = attempt.repliedAt { text += " on \(RFC3339.text(at))" }
    text += "\n"
    if let explanation = attempt.explanation { text += "    \(explanation)\n" }
    if let retryAt = attempt.retryAt { text += "    again from \(RFC3339.text(retryAt)) on\n" }
    guard let said = attempt.said else { return text + "    What it said was erased.\n" }
    text += "    \(said.body)\n"
    let sources = said.sources.sorted { $0.key < $1.key }.map { ["      \($0.key)", $0.value] }
    return text + Table(rows: sources + [["      rule", said.rule + (said.late ? ", sent late" : "")]]).description
  }

  // MARK: The rest

  private var evidence: String {
    Table(
      rows: page.evidence.map {
        [
          "  \($0.member)", $0.value.string ?? $0.value.text(),
          "stated by \($0.by) on \(RFC3339.text($0.statedAt))\($0.isOfOriginal ? ", of the original purchase" : "")",
        ]
      }
    ).description
  }

  private var renewals: String {
    let count = page.cancellations
    return page.renewals.map { "  \($0.words) on \(RFC3339.text($0.at))\n" }.joined()
      + "  The customer cancelled \(count == 0 ? "never" : count == 1 ? "once" : "\(count) times").\n"
  }

  private var outcomes: String {
    if page.outcomes.isEmpty { return "  Apple has not decided.\n" }
    return page.outcomes.map { decision in
      var text = "  \(decision.kind.rawValue)"
      if let extent = decision.extent { text += ", \(extent.rawValue)" }
      if let seats = decision.revokedSeats, decision.extent == .seats {
        text += " (\(seats) of \(decision.quantity.map(String.init) ?? "an unknown number"))"
      }
      if let percentage = decision.percentage { text += ", \(Self.decimal(percentage)) %" }
      text += " on \(RFC3339.text(decision.decidedAt))"
      if decision.isUpgraded { text += ", after an upgrade to another plan" }
      if decision.isWithoutRequest { return text + "; without a refund request: Apple did not ask\n" }
      let said = decision.said.map(String.init).joined(separator: ", ")
      return text + (said.isEmpty ? "; we had said nothing\n" : "; Apple had, or may have had, attempt \(said)\n")
    }.joined()
  }
}

import HTTPTypes
import JSON

/// `POST /simulator/v1/decisions`
extension ControlAPI {
  func postDecision(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    let members = try call.members(["transactionId", "decision"] + Decision.refundMembers)
    guard let id = members["transactionId"]?.string else { throw .badRequest("transactionId is not a text") }
    guard let kind = Decision.Kind(rawValue: members["decision"]?.string ?? "") else {
      throw .badRequest("decision is not one of " + Decision.Kind.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let decision = try Decision(kind, members.object)
    guard let known = ledger.purchase(id) else {
      throw .notFound("there is no purchase \(id.prefix(64)): PUT /simulator/v1/transactions/{id} first")
    }
    try Self.check(decision, of: known)
    return try hand(over: call.reply, lane: known.originalTransactionId) { [ledger] now in
      ledger.edit { book in
        book.decide(decision, on: id, now: now).map { Notices.decision(decision, $0, in: book) }
      }
    }
  }

  static func check(_ decision: Decision, of purchase: Purchase) throws(ControlError) {
    if decision.kind == .reversed, !purchase.isRefunded {
      throw .conflict("the purchase \(purchase.transactionId) was not refunded, so nothing can be reversed")
    }
  }
}

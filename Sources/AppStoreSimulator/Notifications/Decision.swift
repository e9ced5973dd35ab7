import AppStore
import JSON

/// What Apple makes of a refund request, and what it leaves in the transaction.
struct Decision: Equatable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case refund = "REFUND"
    case declined = "REFUND_DECLINED"
    case reversed = "REFUND_REVERSED"
  }

  let kind: Kind
  /// REFUND_FULL or REFUND_PRORATED; for a refund only.
  var revocationType = "REFUND_FULL"
  /// In thousandths of a percent, of the whole purchase; for a refund only.
  var revocationPercentage: Int64 = 100_000

  init(_ kind: Kind) { self.kind = kind }

  /// Reads `decision`, `revocationType` and `revocationPercentage`.
  init(_ object: JSONObject) throws(ControlError) {
    guard let kind = Kind(rawValue: object["decision"]?.string ?? "") else {
      throw .badRequest("decision is not one of " + Kind.allCases.map(\.rawValue).joined(separator: ", "))
    }
    self.kind = kind
    let type = object["revocationType"]
    let percentage = object["revocationPercentage"]
    guard kind == .refund || (type == nil && percentage == nil) else {
      throw .badRequest("revocationType and revocationPercentage go with REFUND alone")
    }
    if let type {
      guard let text = type.string, ["REFUND_FULL", "REFUND_PRORATED"].contains(text) else {
        throw .badRequest("revocationType is neither REFUND_FULL nor REFUND_PRORATED")
      }
      revocationType = text
      if text == "REFUND_PRORATED" { revocationPercentage = 50_000 }
    }
    if let percentage {
      guard let share = percentage.int64, (0...100_000).contains(share) else {
        throw .badRequest("revocationPercentage is no integer from 0 to 100000, thousandths of a percent")
      }
      revocationPercentage = share
    }
  }

  var notificationType: NotificationType { NotificationType(rawValue: kind.rawValue) }

  /// Writes what Apple writes: revocation members appear with a refund, and are gone after its reversal.
  func apply(to purchase: inout Purchase, now: Int64) {
    purchase.state = .decided
    switch kind {
    case .declined: break
    case .reversed:
      for key in ["revocationDate", "revocationReason", "revocationType", "revocationPercentage"] {
        purchase.members[key] = nil
      }
    case .refund:
      purchase.members["revocationDate"] = .number(JSONNumber(now))
      purchase.members["revocationReason"] = 0
      purchase.members["revocationType"] = .string(revocationType)
      purchase.members["revocationPercentage"] = .number(JSONNumber(revocationPercentage))
    }
  }
}

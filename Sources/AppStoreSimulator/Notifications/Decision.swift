import AppStore
import JSON

/// What Apple makes of a refund request, and what it leaves in the transaction.
struct Decision: Equatable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case refund = "REFUND"
    case declined = "REFUND_DECLINED"
    case reversed = "REFUND_REVERSED"
  }

  /// Members of a call that go with a refund.
  static let refundMembers = ["revocationType", "revocationPercentage", "revocationReason"]

  let kind: Kind
  /// REFUND_FULL or REFUND_PRORATED; nil leaves type and percentage out, as data from before API 1.19 do.
  var revocationType: String? = "REFUND_FULL"
  /// In thousandths of a percent, of the whole purchase.
  var revocationPercentage: Int64 = 100_000
  /// 0 another ground, 1 a fault in the app.
  var revocationReason: Int64 = 0
  /// So many seats are refunded and the purchase itself stands; nil refunds the purchase.
  var seats: Int64?

  init(_ kind: Kind) { self.kind = kind }

  /// Half of it.
  static let prorated: Decision = {
    var decision = Decision(.refund)
    (decision.revocationType, decision.revocationPercentage) = ("REFUND_PRORATED", 50_000)
    return decision
  }()

  /// Reads `revocationType`, `revocationPercentage` and `revocationReason` of a call.
  /// - Parameter standard: what holds where a member is absent.
  init(_ kind: Kind, _ object: JSONObject, over standard: Decision? = nil) throws(ControlError) {
    self = standard ?? Decision(kind)
    guard kind == .refund || !Self.refundMembers.contains(where: { object[$0] != nil }) else {
      throw .badRequest(Self.refundMembers.joined(separator: ", ") + " go with REFUND alone")
    }
    if let type = object["revocationType"] {
      guard type.isNull || ["REFUND_FULL", "REFUND_PRORATED"].contains(type.string ?? "") else {
        throw .badRequest("revocationType is neither REFUND_FULL nor REFUND_PRORATED, nor null for the old shape")
      }
      revocationType = type.string
      revocationPercentage = type.string == "REFUND_PRORATED" ? 50_000 : 100_000
    }
    let call = CallMembers(object)
    if let share = try call.integer("revocationPercentage", in: 0...100_000) {
      guard revocationType != nil else {
        throw .badRequest("revocationPercentage does not go with the old shape, which has none")
      }
      revocationPercentage = share
    }
    revocationReason = try call.integer("revocationReason", in: 0...1) ?? revocationReason
  }

  var notificationType: NotificationType { NotificationType(rawValue: kind.rawValue) }
  var subtype: Subtype? { seats == nil ? nil : .seats }

  /// Writes what Apple writes: revocation members appear with a refund, and are gone after its reversal.
  func apply(to purchase: inout Purchase, now: Int64) {
    purchase.state = .decided
    switch kind {
    case .declined: break
    case .reversed: purchase.dropRevocation()
    case .refund:
      if let seats { return purchase.revoke(seats: seats) }
      purchase.dropRevocation()
      purchase.members["revocationDate"] = .number(JSONNumber(now))
      purchase.members["revocationReason"] = .number(JSONNumber(revocationReason))
      guard let revocationType else { return }
      purchase.members["revocationType"] = .string(revocationType)
      purchase.members["revocationPercentage"] = .number(JSONNumber(revocationPercentage))
    }
  }
}

extension Purchase {
  mutating func dropRevocation() {
    for key in ["revocationDate", "revocationReason", "revocationType", "revocationPercentage"] { members[key] = nil }
  }

  /// The transaction stands; how many of its seats were refunded is told in `multiSeatInfo`, since API 1.23.
  fileprivate mutating func revoke(seats: Int64) {
    var info = members["multiSeatInfo"]?.object ?? ["invitationManagement": "DEVELOPER"]
    info["revokedSeatQuantity"] = .number(JSONNumber(seats))
    members["multiSeatInfo"] = .object(info)
  }
}

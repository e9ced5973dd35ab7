import AppStore
import Contracts

/// Whether a purchase was taken back. Seats of one period may be paid by several transactions; the purchase is gone only
/// when each of them was taken back. Source: App Store Server API, «multiSeatInfo».
struct RevocationFinding {
  /// Another transaction that stands for the same period.
  struct Other: Equatable {
    var transactionID: String
    var isRevoked: Bool
  }

  let page: CasePage.Revocation

  /// - Parameter others: those that are known here, which need not be all.
  init(_ facts: PurchaseFacts, others: [Other]) {
    let revoked = facts.seats?.revoked
    guard let revocation = facts.revocation else {
      let seats = revoked.flatMap { $0 > 0 ? $0 : nil }.map {
        ": \($0) of \(facts.quantity.map(String.init) ?? "an unknown number of") seats were, the others stand"
      }
      page = CasePage.Revocation(isRevoked: false, words: "Not taken back\(seats ?? "").", revokedSeats: revoked)
      return
    }
    var words = "Taken back: \(Self.how(revocation))."
    var isWhole = true
    if let seats = facts.seats {
      if let standing = others.first(where: { !$0.isRevoked }) {
        isWhole = false
        words += " Not the purchase: transaction \(standing.transactionID) stands for the same period."
      } else if seats.isAddition, others.isEmpty {
        isWhole = false
        words += " Not the purchase, as far as is known: it adds seats to a period that another transaction began."
      }
    }
    page = CasePage.Revocation(
      isRevoked: isWhole, words: words, at: revocation.at, type: revocation.type, percentage: revocation.percentage,
      reason: revocation.reason, revokedSeats: revoked)
  }

  private static func how(_ revocation: Revocation) -> String {
    let share = revocation.percentage.map { ", \(Milliunits.percent($0)) % of the price" } ?? ""
    switch revocation.type.map(RevocationType.init(rawValue:)) {
    case .refundFull: return "refunded in full"
    case .refundProrated: return "refunded in part\(share)"
    case .familyRevoke: return "Family Sharing ended, which is no refund"
    case .assignmentRevoke: return "the assignment ended, which is no refund"
    case .unknown(let word): return "\(word), a word of Apple that this release does not know\(share)"
    case nil: return "Apple did not say how\(share)"
    }
  }
}

import Contracts

/// What is known of a purchase, member by member; absent is not stated.
struct EvidenceState: Codable, Equatable, Sendable {
  var deliveryStatus: Stated<String>?
  var sampleContentProvided: Stated<Bool>?
  var consumptionPercentage: Stated<Int64>?
  var unitsGranted: Stated<Int64>?
  var unitsUsed: Stated<Int64>?
  /// Whether the backend said that it does not know the purchase; absent where it said nothing.
  var unknownPurchase: Stated<Bool>?
  /// What only endpoint version 1 asks; nil where nothing of it was stated.
  var account: AccountEvidence?

  /// What is not stated here is taken from there; the original purchase speaks for its renewals.
  func completed(by other: EvidenceState?) -> EvidenceState {
    guard let other else { return self }
    var result = self
    result.deliveryStatus = deliveryStatus ?? other.deliveryStatus
    result.sampleContentProvided = sampleContentProvided ?? other.sampleContentProvided
    result.account = account.map { $0.completed(by: other.account) } ?? other.account
    return result
  }

  mutating func fold(_ evidence: EvidenceRecorded, event: String) {
    func stated<Value>(_ value: Value) -> Stated<Value> {
      Stated(value: value, at: evidence.statedAt, by: evidence.by, event: event)
    }
    switch evidence.statement {
    case .unknownPurchase: unknownPurchase = .newer(unknownPurchase, stated(true))
    case .values(let values):
      // Kept even where nobody doubted it, so that an older doubt that comes later does not win.
      unknownPurchase = .newer(unknownPurchase, stated(false))
      if let value = values.deliveryStatus { deliveryStatus = .newer(deliveryStatus, stated(value.text)) }
      if let value = values.sampleContentProvided {
        sampleContentProvided = .newer(sampleContentProvided, stated(value))
      }
      if let value = values.consumptionPercentage {
        consumptionPercentage = .newer(consumptionPercentage, stated(value))
      }
      if let value = values.unitsGranted { unitsGranted = .newer(unitsGranted, stated(value)) }
      if let value = values.unitsUsed { unitsUsed = .newer(unitsUsed, stated(value)) }
      var account = account ?? AccountEvidence()
      account.fold(values.account, stated)
      if account != AccountEvidence() { self.account = account }
    }
  }
}
